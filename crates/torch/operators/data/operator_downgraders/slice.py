# Slices of which an end is left open; up to 1.7 both are numbers.

def slice_Tensor_to_1_7(self: Tensor, dim: int=0, start: Optional[int]=None, end: Optional[int]=None, step: int=1) -> Tensor:
  first = 0 if start is None else start
  last = 9223372036854775807 if end is None else end
  return torch.slice(self, dim, first, last, step)

def slice_str_to_1_7(string: str, start: Optional[int]=None, end: Optional[int]=None, step: int=1) -> str:
  first = 0 if start is None else start
  last = 9223372036854775807 if end is None else end
  return torch.slice(string, first, last, step)

def slice_ints_to_1_7(l: List[int], start: Optional[int]=None, end: Optional[int]=None, step: int=1) -> List[int]:
  first = 0 if start is None else start
  last = 9223372036854775807 if end is None else end
  return torch.slice(l, first, last, step)

def slice_floats_to_1_7(l: List[float], start: Optional[int]=None, end: Optional[int]=None, step: int=1) -> List[float]:
  first = 0 if start is None else start
  last = 9223372036854775807 if end is None else end
  return torch.slice(l, first, last, step)

def slice_bools_to_1_7(l: List[bool], start: Optional[int]=None, end: Optional[int]=None, step: int=1) -> List[bool]:
  first = 0 if start is None else start
  last = 9223372036854775807 if end is None else end
  return torch.slice(l, first, last, step)

def slice_texts_to_1_7(l: List[str], start: Optional[int]=None, end: Optional[int]=None, step: int=1) -> List[str]:
  first = 0 if start is None else start
  last = 9223372036854775807 if end is None else end
  return torch.slice(l, first, last, step)

def slice_tensors_to_1_7(l: List[Tensor], start: Optional[int]=None, end: Optional[int]=None, step: int=1) -> List[Tensor]:
  first = 0 if start is None else start
  last = 9223372036854775807 if end is None else end
  return torch.slice(l, first, last, step)
