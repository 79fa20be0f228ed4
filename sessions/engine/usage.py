from typing import NamedTuple
class Usage(NamedTuple):
    input: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int
    output: int
    @classmethod
    def of(cls, raw):
        if type(raw) is not dict: return None
        return Usage(raw.get("input_tokens") or 0, raw.get("cache_read_input_tokens") or 0, raw.get("cache_creation_input_tokens") or 0, 0, raw.get("output_tokens") or 0)
    @property
    def context(self): return self[0]+self[1]+self[2]+self[3]
    def merge(self, o): return Usage(*map(max, self, o))
