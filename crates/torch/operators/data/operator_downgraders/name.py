# Names that an operator got besides the one it had.

def absolute_to_1_5(self: Tensor) -> Tensor:
  return torch.abs(self)

def absolute_out_to_1_5(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.abs(self, out=out)

def absolute__to_1_5(self: Tensor) -> Tensor:
  return torch.abs_(self)

def arccos_to_1_6(self: Tensor) -> Tensor:
  return torch.acos(self)

def arccos_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.acos(self, out=out)

def arccos__to_1_6(self: Tensor) -> Tensor:
  return torch.acos_(self)

def arccosh_to_1_6(self: Tensor) -> Tensor:
  return torch.acosh(self)

def arccosh_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.acosh(self, out=out)

def arccosh__to_1_6(self: Tensor) -> Tensor:
  return torch.acosh_(self)

def arcsin_to_1_6(self: Tensor) -> Tensor:
  return torch.asin(self)

def arcsin_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.asin(self, out=out)

def arcsin__to_1_6(self: Tensor) -> Tensor:
  return torch.asin_(self)

def arcsinh_to_1_6(self: Tensor) -> Tensor:
  return torch.asinh(self)

def arcsinh_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.asinh(self, out=out)

def arcsinh__to_1_6(self: Tensor) -> Tensor:
  return torch.asinh_(self)

def arctan_to_1_6(self: Tensor) -> Tensor:
  return torch.atan(self)

def arctan_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.atan(self, out=out)

def arctan__to_1_6(self: Tensor) -> Tensor:
  return torch.atan_(self)

def arctan2_to_1_10(self: Tensor, other: Tensor) -> Tensor:
  return torch.atan2(self, other)

def arctan2_out_to_1_10(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.atan2(self, other, out=out)

def arctan2__to_1_10(self: Tensor, other: Tensor) -> Tensor:
  return torch.atan2_(self, other)

def arctanh_to_1_6(self: Tensor) -> Tensor:
  return torch.atanh(self)

def arctanh_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.atanh(self, out=out)

def arctanh__to_1_6(self: Tensor) -> Tensor:
  return torch.atanh_(self)

def concat_to_1_9(tensors: List[Tensor], dim: int=0) -> Tensor:
  return torch.cat(tensors, dim)

def concat_out_to_1_9(tensors: List[Tensor], dim: int=0, *, out: Tensor) -> Tensor:
  return torch.cat(tensors, dim, out=out)

def concatenate_to_1_12(tensors: List[Tensor], dim: int=0) -> Tensor:
  return torch.cat(tensors, dim)

def concatenate_out_to_1_12(tensors: List[Tensor], dim: int=0, *, out: Tensor) -> Tensor:
  return torch.cat(tensors, dim, out=out)

def fix_to_1_6(self: Tensor) -> Tensor:
  return torch.trunc(self)

def fix_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.trunc(self, out=out)

def fix__to_1_6(self: Tensor) -> Tensor:
  return torch.trunc_(self)

def multiply_Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.mul(self, other)

def multiply_Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.mul(self, other)

def multiply_out_to_1_6(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.mul(self, other, out=out)

def multiply__Scalar_to_1_6(self: Tensor, other: number) -> Tensor:
  return torch.mul_(self, other)

def multiply__Tensor_to_1_6(self: Tensor, other: Tensor) -> Tensor:
  return torch.mul_(self, other)

def negative_to_1_6(self: Tensor) -> Tensor:
  return torch.neg(self)

def negative_out_to_1_6(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.neg(self, out=out)

def negative__to_1_6(self: Tensor) -> Tensor:
  return torch.neg_(self)

def subtract_Scalar_to_1_6(self: Tensor, other: number, alpha: number=1) -> Tensor:
  return torch.sub(self, other, alpha)

def subtract_Tensor_to_1_6(self: Tensor, other: Tensor, *, alpha: number=1) -> Tensor:
  return torch.sub(self, other, alpha=alpha)

def subtract_out_to_1_6(self: Tensor, other: Tensor, *, alpha: number=1, out: Tensor) -> Tensor:
  return torch.sub(self, other, alpha=alpha, out=out)

def subtract__Scalar_to_1_6(self: Tensor, other: number, alpha: number=1) -> Tensor:
  return torch.sub_(self, other, alpha)

def subtract__Tensor_to_1_6(self: Tensor, other: Tensor, *, alpha: number=1) -> Tensor:
  return torch.sub_(self, other, alpha=alpha)

def swapaxes_to_1_7(self: Tensor, axis0: int, axis1: int) -> Tensor:
  return torch.transpose(self, axis0, axis1)

def swapaxes__to_1_7(self: Tensor, axis0: int, axis1: int) -> Tensor:
  return torch.transpose_(self, axis0, axis1)

def swapdims_to_1_7(self: Tensor, dim0: int, dim1: int) -> Tensor:
  return torch.transpose(self, dim0, dim1)

def swapdims__to_1_7(self: Tensor, dim0: int, dim1: int) -> Tensor:
  return torch.transpose_(self, dim0, dim1)

def moveaxis_int_to_1_7(self: Tensor, source: int, destination: int) -> Tensor:
  return torch.movedim(self, source, destination)

def moveaxis_intlist_to_1_7(self: Tensor, source: List[int], destination: List[int]) -> Tensor:
  return torch.movedim(self, source, destination)

def outer_to_1_6(self: Tensor, vec2: Tensor) -> Tensor:
  return torch.ger(self, vec2)

def outer_out_to_1_6(self: Tensor, vec2: Tensor, *, out: Tensor) -> Tensor:
  return torch.ger(self, vec2, out=out)

def row_stack_to_1_7(tensors: List[Tensor]) -> Tensor:
  return torch.vstack(tensors)

def row_stack_out_to_1_7(tensors: List[Tensor], *, out: Tensor) -> Tensor:
  return torch.vstack(tensors, out=out)

def argwhere_to_1_10(self: Tensor) -> Tensor:
  return torch.nonzero(self)
