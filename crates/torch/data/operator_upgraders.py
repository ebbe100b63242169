# What old files meant by an operator, with the operators of today. Each function stands for one schema of
# operator_versions.yaml. The numbers in its name are the operator versions of the files, or the release.

# Below version 4 dividing integers gave integers.

def div_Tensor_0_3(self: Tensor, other: Tensor) -> Tensor:
  if self.is_floating_point() or other.is_floating_point():
    return self.true_divide(other)
  return self.divide(other, rounding_mode='trunc')

def div_Scalar_0_3(self: Tensor, other: number) -> Tensor:
  if self.is_floating_point() or isinstance(other, float):
    return self.true_divide(other)
  return self.divide(other, rounding_mode='trunc')

def div_out_0_3(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  if self.is_floating_point() or other.is_floating_point() or out.is_floating_point():
    return torch.true_divide(self, other, out=out)
  return torch.divide(self, other, rounding_mode='trunc', out=out)

def div__Tensor_0_3(self: Tensor, other: Tensor) -> Tensor:
  if self.is_floating_point() or other.is_floating_point():
    return self.true_divide_(other)
  return self.divide_(other, rounding_mode='trunc')

def div__Scalar_0_3(self: Tensor, other: number) -> Tensor:
  if self.is_floating_point() or isinstance(other, float):
    return self.true_divide_(other)
  return self.divide_(other, rounding_mode='trunc')

# With a rounding mode it has not changed.

def div_Tensor_mode_0_3(self: Tensor, other: Tensor, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide(other, rounding_mode=rounding_mode)

def div_Scalar_mode_0_3(self: Tensor, other: number, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide(other, rounding_mode=rounding_mode)

def div_out_mode_0_3(self: Tensor, other: Tensor, *, rounding_mode: Optional[str], out: Tensor) -> Tensor:
  return torch.divide(self, other, rounding_mode=rounding_mode, out=out)

def div__Tensor_mode_0_3(self: Tensor, other: Tensor, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide_(other, rounding_mode=rounding_mode)

def div__Scalar_mode_0_3(self: Tensor, other: number, *, rounding_mode: Optional[str]) -> Tensor:
  return self.divide_(other, rounding_mode=rounding_mode)

# Below version 5 a tensor was filled with floats unless a type was given.

def full_0_4(size: List[int], fill_value: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    fill_value = float(fill_value)
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def full_out_0_4(size: List[int], fill_value: number, *, out: Tensor) -> Tensor:
  return torch.full(size, fill_value, out=out)

def full_names_0_4(size: List[int], fill_value: number, *, names: Optional[List[str]], dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    fill_value = float(fill_value)
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

# Below versions 8 and 9 the number of steps had a default.

def linspace_0_7(start: number, end: number, steps: Optional[int]=None, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if steps is None:
    steps = 100
  return torch.linspace(start, end, steps, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def linspace_out_0_7(start: number, end: number, steps: Optional[int]=None, *, out: Tensor) -> Tensor:
  if steps is None:
    steps = 100
  return torch.linspace(start, end, steps, out=out)

def logspace_0_8(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if steps is None:
    steps = 100
  return torch.logspace(start, end, steps, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def logspace_out_0_8(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, out: Tensor) -> Tensor:
  if steps is None:
    steps = 100
  return torch.logspace(start, end, steps, base, out=out)

# Below version 10 there was one way to compute it.

def gelu_0_9(self: Tensor) -> Tensor:
  return torch.gelu(self, approximate='none')

def gelu_out_0_9(self: Tensor, *, out: Tensor) -> Tensor:
  return torch.gelu(self, approximate='none', out=out)

# Before 1.13 floor_divide rounded towards zero.

def floor_divide_before_1_13(self: Tensor, other: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='trunc')

def floor_divide_Scalar_before_1_13(self: Tensor, other: number) -> Tensor:
  return torch.div(self, other, rounding_mode='trunc')

def floor_divide_out_before_1_13(self: Tensor, other: Tensor, *, out: Tensor) -> Tensor:
  return torch.div(self, other, rounding_mode='trunc', out=out)

def floor_divide__Tensor_before_1_13(self: Tensor, other: Tensor) -> Tensor:
  return self.div_(other, rounding_mode='trunc')

def floor_divide__Scalar_before_1_13(self: Tensor, other: number) -> Tensor:
  return self.div_(other, rounding_mode='trunc')

# Before 1.4 a range was one of floats unless a type was given.

def arange_before_1_4(end: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    end = float(end)
  return torch.arange(end, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def arange_start_before_1_4(start: number, end: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    end = float(end)
  return torch.arange(start, end, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def arange_start_step_before_1_4(start: number, end: number, step: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    end = float(end)
  return torch.arange(start, end, step, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
