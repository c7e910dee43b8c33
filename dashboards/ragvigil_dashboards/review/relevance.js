// A list of documents that is marked by keyboard, beside the whole text of the one under the cursor. Everything happens
// here until the marks are saved: no press waits for the service. Texts are only ever set as text.

const PAGE = 0.85

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  const save = (marks) => setTriggerValue("saved", marks)
  const before = parentElement.relevanceDesk
  before?.leave()
  if (before?.item === data.item && before.root.isConnected) {
    before.save = save
    return before.listen()
  }
  before?.root.remove()
  const desk = new RelevanceDesk(data, save)
  parentElement.relevanceDesk = desk
  parentElement.append(desk.root)
  desk.move(0)
  return desk.listen()
}

class RelevanceDesk {
  constructor(data, save) {
    this.item = data.item
    this.documents = data.documents
    this.pauseMs = data.pause_ms
    this.marked = new Set(data.marked)
    this.at = 0
    this.save = save
    this.quietSince = performance.now()
    this.build(data)
  }

  build(data) {
    this.count = element("strong", "rr-count", { role: "status" })
    this.button = element("button", "rr-save", { type: "button" }, "Save and go on")
    this.button.append(element("kbd", "", {}, "Enter"))
    this.button.addEventListener("click", () => this.send())
    this.rows = this.documents.map((document, place) => this.row(document, place))
    this.list = element("div", "rr-list", { role: "listbox", "aria-multiselectable": "true", "aria-label": "Documents" })
    this.list.append(...this.rows)
    this.text = element("div", "rr-text foreign", { dir: "auto", tabindex: "0", "aria-label": "Document" })
    const question = element("p", `rr-question foreign${data.asked ? "" : " rw-quiet"}`, { dir: "auto" }, data.question)
    const head = element("header", "rr-head")
    head.append(question, this.count, this.button)
    this.root = element("div", "rr-desk")
    this.root.append(head, this.list, this.text)
    if (this.documents.length === 0) this.text.textContent = data.nothing
  }

  row(document, place) {
    const row = element("div", "rr-row", { role: "option" })
    const box = element("span", "rr-box", { "aria-hidden": "true" })
    const preview = element("span", `rr-preview${document.recorded ? "" : " rw-quiet"}`, { dir: "auto" })
    preview.textContent = document.text.slice(0, 240)
    row.append(box, element("b", "", {}, document.name), preview)
    row.addEventListener("click", () => this.move(place))
    box.addEventListener("click", () => this.toggle(place))
    return row
  }

  // Streamlit calls what this returns before it draws again, which it may do without another item.
  listen() {
    const onKey = (event) => this.press(event)
    document.addEventListener("keydown", onKey)
    this.leave = () => document.removeEventListener("keydown", onKey)
    return this.leave
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.root.isConnected) return
    if (event.target.closest("input, textarea, select, [contenteditable]")) return
    const act = this.actions()[event.key]
    if (!act || (event.target.closest("button, a") && [" ", "Enter"].includes(event.key))) return
    event.preventDefault()
    act(event.repeat)
  }

  actions() {
    const [down, up] = [() => this.move(this.at + 1), () => this.move(this.at - 1)]
    return {
      j: down, J: down, ArrowDown: down,
      k: up, K: up, ArrowUp: up,
      Home: () => this.move(0),
      End: () => this.move(this.rows.length - 1),
      PageDown: () => this.text.scrollBy(0, this.text.clientHeight * PAGE),
      PageUp: () => this.text.scrollBy(0, -this.text.clientHeight * PAGE),
      " ": (repeat) => repeat || this.toggle(this.at),
      Enter: (repeat) => repeat || this.send(),
    }
  }

  move(to) {
    if (this.rows.length === 0) return this.draw()
    this.at = Math.min(Math.max(to, 0), this.rows.length - 1)
    const document = this.documents[this.at]
    this.text.textContent = document.text
    this.text.classList.toggle("rw-quiet", !document.recorded)
    this.text.scrollTop = 0
    this.rows[this.at].scrollIntoView({ block: "nearest" })
    this.draw()
  }

  toggle(place) {
    if (!this.documents[place]?.recorded) return
    this.marked.has(place) ? this.marked.delete(place) : this.marked.add(place)
    this.draw()
  }

  draw() {
    this.rows.forEach((row, place) => {
      row.classList.toggle("rr-at", place === this.at)
      row.setAttribute("aria-selected", String(this.marked.has(place)))
    })
    this.count.textContent = `${this.marked.size} of ${this.rows.length} marked`
    this.button.disabled = this.rows.length === 0
  }

  // Nobody has read an item in half a second: a press that comes sooner was meant for the one before.
  send() {
    const now = performance.now()
    const meant = now - this.quietSince >= this.pauseMs
    this.quietSince = now
    if (meant && this.rows.length > 0) this.save({ item: this.item, marked: [...this.marked].sort((a, b) => a - b) })
  }
}

function element(name, className, attributes = {}, text = "") {
  const made = document.createElement(name)
  if (className) made.className = className
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.textContent = text
  return made
}
