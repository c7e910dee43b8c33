from ragvigil_monitor.demo.recent import Recent


def test_forgets_what_was_not_asked_for_longest() -> None:
    cache: Recent[int] = Recent(2)
    cache.put("one", 1)
    cache.put("two", 2)
    assert cache.get("one") == 1
    cache.put("three", 3)
    assert [cache.get(text) for text in ("one", "two", "three")] == [1, None, 3]


def test_a_value_put_again_is_replaced_and_new() -> None:
    cache: Recent[int] = Recent(2)
    for text, value in (("one", 1), ("two", 2), ("one", 11), ("three", 3)):
        cache.put(text, value)
    assert [cache.get(text) for text in ("one", "two", "three")] == [11, None, 3]
