# Whether one or all of a list hold: `any` up to 1.8, `all` up to 1.4.

def any_bool_to_1_8(self: List[bool]) -> bool:
  result = False
  for one in self:
    result = result or one
  return result

def any_int_to_1_8(self: List[int]) -> bool:
  result = False
  for one in self:
    result = result or one != 0
  return result

def any_float_to_1_8(self: List[float]) -> bool:
  result = False
  for one in self:
    result = result or one != 0.0
  return result

def any_str_to_1_8(self: List[str]) -> bool:
  result = False
  for one in self:
    result = result or len(one) > 0
  return result

def all_bool_to_1_4(self: List[bool]) -> bool:
  result = True
  for one in self:
    result = result and one
  return result

def all_int_to_1_4(self: List[int]) -> bool:
  result = True
  for one in self:
    result = result and one != 0
  return result
