# Comparisons by their long names, which came in 1.7.

def greater_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.gt(self, other)

def greater_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.gt(self, other, out=out)

def greater_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.gt(self, other)

def greater_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.gt(self, other, out=out)

def greater__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.gt_(self, other)

def greater__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.gt_(self, other)

def greater_equal_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ge(self, other)

def greater_equal_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.ge(self, other, out=out)

def greater_equal_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ge(self, other)

def greater_equal_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.ge(self, other, out=out)

def greater_equal__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ge_(self, other)

def greater_equal__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ge_(self, other)

def less_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.lt(self, other)

def less_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.lt(self, other, out=out)

def less_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.lt(self, other)

def less_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.lt(self, other, out=out)

def less__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.lt_(self, other)

def less__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.lt_(self, other)

def less_equal_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.le(self, other)

def less_equal_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.le(self, other, out=out)

def less_equal_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.le(self, other)

def less_equal_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.le(self, other, out=out)

def less_equal__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.le_(self, other)

def less_equal__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.le_(self, other)

def not_equal_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ne(self, other)

def not_equal_Scalar_out_to_1_6(self: Tensor, other: number, *, out: Tensor) -> Tensor:
  return torch.ne(self, other, out=out)

def not_equal_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne(self, other)

def not_equal_Tensor_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.ne(self, other, out=out)

def not_equal__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.ne_(self, other)

def not_equal__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.ne_(self, other)
