# Elements, one by one.

def square_to_1_4(self: Tensor) -> Tensor:
  return torch.pow(self, 2)

def square__to_1_4(self: Tensor) -> Tensor:
  return self.pow_(2)

def deg2rad_to_1_5(self: Tensor) -> Tensor:
  return torch.mul(self, 0.017453292519943295)

def rad2deg_to_1_5(self: Tensor) -> Tensor:
  return torch.mul(self, 57.29577951308232)

def maximum_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.max(self, other)

def minimum_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.min(self, other)

def logaddexp_to_1_5(self: Tensor, other: Tensor) -> Tensor:
  high = torch.max(self, other)
  apart = torch.neg(torch.abs(torch.sub(self, other)))
  return torch.where(torch.eq(self, other), torch.add(self, 0.6931471805599453), torch.add(high, torch.log1p(torch.exp(apart))))

def isposinf_to_1_6(self: Tensor) -> Tensor:
  return torch.eq(self, float('inf'))

def isneginf_to_1_6(self: Tensor) -> Tensor:
  return torch.eq(self, float('-inf'))

def logical_and_to_1_4(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne(self, 0) & torch.ne(other, 0)

def logical_or_to_1_4(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne(self, 0) | torch.ne(other, 0)

# Numbers that are none, bounds that are tensors.

def nan_to_num_to_1_7(self: Tensor, nan: Optional[float]=None, posinf: Optional[float]=None, neginf: Optional[float]=None) -> Tensor:
  if not torch.is_floating_point(self):
    return torch.clone(self)
  most = 3.4028234663852886e+38
  if self.dtype == 5:
    most = 65504.0
  if self.dtype == 7:
    most = 1.7976931348623157e+308
  if self.dtype == 15:
    most = 3.3895313892515355e+38
  high = torch.full_like(self, most if posinf is None else posinf)
  low = torch.full_like(self, -most if neginf is None else neginf)
  result = torch.where(torch.ne(self, self), torch.full_like(self, 0.0 if nan is None else nan), self)
  result = torch.where(torch.eq(self, float('inf')), high, result)
  return torch.where(torch.eq(self, float('-inf')), low, result)

def clamp_Tensor_to_1_8(self: Tensor, min: Optional[Tensor]=None, max: Optional[Tensor]=None) -> Tensor:
  result = self
  if min is not None:
    result = torch.max(result, min)
  if max is not None:
    result = torch.min(result, max)
  return result

# Up to 1.5 the power of an integer was one, whatever the exponent.

def pow_Tensor_Scalar_to_1_5(self: Tensor, exponent: number) -> Tensor:
  base = self
  if isinstance(exponent, float) and not self.is_floating_point():
    base = self.to(torch.zeros([0]).dtype)
  return torch.pow(base, exponent)
