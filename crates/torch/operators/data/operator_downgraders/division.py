# Division that rounds. Up to 1.12 floor_divide rounded towards zero.

def floor_divide_to_1_12(self: Tensor, other: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='floor')

def floor_divide_Scalar_to_1_12(self: Tensor, other: number) -> Tensor:
  return torch.div(self, other, rounding_mode='floor')

def floor_divide_out_to_1_12(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='floor', out=out)

def floor_divide__Tensor_to_1_12(self: Tensor, other: Tensor) -> Tensor:
  return self.div_(other, rounding_mode='floor')

def floor_divide__Scalar_to_1_12(self: Tensor, other: number) -> Tensor:
  return self.div_(other, rounding_mode='floor')

# Division that rounds down, before it had a mode.

def floor_divide_to_1_7(self: Tensor, other: Tensor) -> Tensor:
  return floored(self, other)

def floored(self: Tensor, other: Tensor) -> Tensor:
  if torch.is_floating_point(self) or torch.is_floating_point(other):
    dtype = torch.add(self, other).dtype
    value = self.to(dtype)
    by = other.to(dtype)
    rest = torch.fmod(value, by)
    quotient = torch.true_divide(torch.sub(value, rest), by)
    apart = torch.ne(torch.lt(by, 0), torch.lt(rest, 0))
    quotient = torch.where(torch.ne(rest, 0) & apart, torch.sub(quotient, 1), quotient)
    floor = torch.floor(quotient)
    floor = torch.where(torch.gt(torch.sub(quotient, floor), 0.5), torch.add(floor, 1), floor)
    result = torch.where(torch.eq(by, 0), torch.true_divide(value, by), floor)
  else:
    result = torch.floor_divide(torch.sub(self, torch.remainder(self, other)), other)
  return result

def floor_divide_Scalar_to_1_7(self: Tensor, other: number) -> Tensor:
  return floored_by(self, other)

def floored_by(self: Tensor, other: number) -> Tensor:
  if torch.is_floating_point(self) or isinstance(other, float):
    value = torch.true_divide(self, 1)
    rest = torch.fmod(value, other)
    quotient = torch.true_divide(torch.sub(value, rest), other)
    apart = torch.ne(torch.lt(torch.full_like(rest, other), 0), torch.lt(rest, 0))
    quotient = torch.where(torch.ne(rest, 0) & apart, torch.sub(quotient, 1), quotient)
    floor = torch.floor(quotient)
    floor = torch.where(torch.gt(torch.sub(quotient, floor), 0.5), torch.add(floor, 1), floor)
    result = torch.true_divide(value, other) if other == 0 else floor
  else:
    result = torch.floor_divide(torch.sub(self, torch.remainder(self, other)), other)
  return result

# Up to 1.5 dividing integers gave integers, and floor_divide came in 1.5. In place, division by a float refuses
# integers, as every division does today.

def div_Tensor_to_1_5(self: Tensor, other: Tensor) -> Tensor:
  value = floating(self, other)
  return torch.div(value, other)

def div_Scalar_to_1_5(self: Tensor, other: number) -> Tensor:
  value = self
  if not self.is_floating_point():
    value = self.to(torch.zeros([0]).dtype)
  return torch.div(value, other)

def div_out_to_1_5(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  value = floating(self, other)
  return torch.div(value, other, out=out)

def div__Tensor_to_1_5(self: Tensor, other: Tensor) -> Tensor:
  return self.div_(torch.squeeze(torch.ones([1]))).div_(other)

def div__Scalar_to_1_5(self: Tensor, other: number) -> Tensor:
  return self.div_(torch.squeeze(torch.ones([1]))).div_(other)

def floor_divide_to_1_4(self: Tensor, other: Tensor) -> Tensor:
  quotient = torch.div(self, other)
  if quotient.is_floating_point():
    return torch.trunc(quotient)
  return quotient

def floor_divide_Scalar_to_1_4(self: Tensor, other: number) -> Tensor:
  quotient = torch.div(self, other)
  if quotient.is_floating_point():
    return torch.trunc(quotient)
  return quotient

# The same that rounds down. In 1.4 division is that of floats for floats, and of integers for integers.

def floor_divide_down_to_1_4(self: Tensor, other: Tensor) -> Tensor:
  return floored_by_div(self, other)

def floored_by_div(self: Tensor, other: Tensor) -> Tensor:
  if self.is_floating_point() or other.is_floating_point():
    dtype = torch.add(self, other).dtype
    value = self.to(dtype)
    by = other.to(dtype)
    rest = torch.fmod(value, by)
    quotient = torch.div(torch.sub(value, rest), by)
    apart = torch.ne(torch.lt(by, 0), torch.lt(rest, 0))
    quotient = torch.where(torch.ne(rest, 0) & apart, torch.sub(quotient, 1), quotient)
    floor = torch.floor(quotient)
    floor = torch.where(torch.gt(torch.sub(quotient, floor), 0.5), torch.add(floor, 1), floor)
    result = torch.where(torch.eq(by, 0), torch.div(value, by), floor)
  else:
    result = torch.div(torch.sub(self, torch.remainder(self, other)), other)
  return result

def floor_divide_Scalar_down_to_1_4(self: Tensor, other: number) -> Tensor:
  return floored_by_number(self, other)

def floored_by_number(self: Tensor, other: number) -> Tensor:
  if self.is_floating_point() or isinstance(other, float):
    value = self
    if not self.is_floating_point():
      value = self.to(torch.zeros([0]).dtype)
    rest = torch.fmod(value, other)
    quotient = torch.div(torch.sub(value, rest), other)
    apart = torch.ne(torch.lt(torch.full_like(rest, other), 0), torch.lt(rest, 0))
    quotient = torch.where(torch.ne(rest, 0) & apart, torch.sub(quotient, 1), quotient)
    floor = torch.floor(quotient)
    floor = torch.where(torch.gt(torch.sub(quotient, floor), 0.5), torch.add(floor, 1), floor)
    result = torch.div(value, other) if other == 0 else floor
  else:
    result = torch.div(torch.sub(self, torch.remainder(self, other)), other)
  return result

# Integers as floats, as division has them.

def floating(self: Tensor, other: Tensor) -> Tensor:
  value = self
  if not (self.is_floating_point() or other.is_floating_point()):
    value = self.to(torch.zeros([0]).dtype)
  return value

# Rounding modes, which came in 1.8. Up to 1.12 floor_divide cuts off.

def div_Tensor_mode_to_1_5(self: Tensor, other: Tensor, *, rounding_mode: Optional[str]) -> Tensor:
  return rounded(self, other, rounding_mode)

def div_Tensor_mode_to_1_7(self: Tensor, other: Tensor, *, rounding_mode: Optional[str]) -> Tensor:
  return rounded(self, other, rounding_mode)

def rounded(self: Tensor, other: Tensor, rounding_mode: Optional[str]) -> Tensor:
  mode = "" if rounding_mode is None else rounding_mode
  if mode == "floor":
    outcome = floored(self, other)
  elif mode == "trunc" and not (torch.is_floating_point(self) or torch.is_floating_point(other)):
    outcome = torch.floor_divide(self, other)
  else:
    exact = torch.true_divide(self, other)
    outcome = torch.trunc(exact) if mode == "trunc" else exact
  return outcome

def div_Scalar_mode_to_1_5(self: Tensor, other: number, *, rounding_mode: Optional[str]) -> Tensor:
  return rounded_by(self, other, rounding_mode)

def div_Scalar_mode_to_1_7(self: Tensor, other: number, *, rounding_mode: Optional[str]) -> Tensor:
  return rounded_by(self, other, rounding_mode)

def rounded_by(self: Tensor, other: number, rounding_mode: Optional[str]) -> Tensor:
  mode = "" if rounding_mode is None else rounding_mode
  if mode == "floor":
    outcome = floored_by(self, other)
  elif mode == "trunc" and not (torch.is_floating_point(self) or isinstance(other, float)):
    outcome = torch.floor_divide(self, other)
  else:
    exact = torch.true_divide(self, other)
    outcome = torch.trunc(exact) if mode == "trunc" else exact
  return outcome

def div_Tensor_mode_to_1_4(self: Tensor, other: Tensor, *, rounding_mode: Optional[str]) -> Tensor:
  mode = "" if rounding_mode is None else rounding_mode
  if mode == "floor":
    outcome = floored_by_div(self, other)
  elif mode == "trunc" and not (self.is_floating_point() or other.is_floating_point()):
    outcome = torch.div(self, other)
  else:
    exact = floating(self, other)
    outcome = torch.div(exact, other)
    if mode == "trunc":
      outcome = torch.trunc(outcome)
  return outcome

def div_Scalar_mode_to_1_4(self: Tensor, other: number, *, rounding_mode: Optional[str]) -> Tensor:
  mode = "" if rounding_mode is None else rounding_mode
  if mode == "floor":
    outcome = floored_by_number(self, other)
  elif mode == "trunc" and not (self.is_floating_point() or isinstance(other, float)):
    outcome = torch.div(self, other)
  else:
    exact = self
    if not self.is_floating_point():
      exact = self.to(torch.zeros([0]).dtype)
    outcome = torch.div(exact, other)
    if mode == "trunc":
      outcome = torch.trunc(outcome)
  return outcome
