// A key that is held down repeats half a second later, when a next item is already in front: it was not meant for that
// one. The keys of buttons do not tell a repeat from a press, so repeats of letters and digits end here, and those of
// Enter on a button. Arrows and PageDown go on, and so does everything that is written into a field.

const ENDED = /^[\p{L}\p{N}]$/u
const MOVES = new Set(["j", "J", "k", "K"])

export default function () {
  window.addEventListener("keydown", endRepeats, { capture: true })
  return () => window.removeEventListener("keydown", endRepeats, { capture: true })
}

function endRepeats(event) {
  if (!event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
  if (event.target.closest("input, textarea, select, [contenteditable]")) return
  const clicks = event.key === "Enter" && event.target.closest("button")
  if (clicks) event.preventDefault()
  if (clicks || (ENDED.test(event.key) && !MOVES.has(event.key))) event.stopImmediatePropagation()
}
