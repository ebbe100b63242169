# Up to 1.5 a tensor was filled with floats unless a type was given; today the number says which.

def full_to_1_5(size: List[int], fill_value: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  if dtype is None:
    dtype = torch.add(torch.zeros([1], dtype=4), fill_value).dtype
  return torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

# Up to 1.6 a number of steps had to be one.

def linspace_to_1_6(start: number, end: number, steps: Optional[int]=None, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.linspace(start, end, 100 if steps is None else steps, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def linspace_out_to_1_6(start: number, end: number, steps: Optional[int]=None, *, out: Tensor) -> Tensor:
  return torch.linspace(start, end, 100 if steps is None else steps, out=out)

def logspace_to_1_6(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  return torch.logspace(start, end, 100 if steps is None else steps, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)

def logspace_out_to_1_6(start: number, end: number, steps: Optional[int]=None, base: float=10.0, *, out: Tensor) -> Tensor:
  return torch.logspace(start, end, 100 if steps is None else steps, base, out=out)

# In 1.4 a tensor like another one had all of its properties or none.

def zeros_like_to_1_4(self: Tensor, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None, memory_format: Optional[int]=None) -> Tensor:
  kind = self.dtype
  place = self.device
  if dtype is not None:
    kind = dtype
  if device is not None:
    place = device
  return torch.zeros(self.size(), dtype=kind, layout=layout, device=place, pin_memory=pin_memory)

def ones_like_to_1_4(self: Tensor, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None, memory_format: Optional[int]=None) -> Tensor:
  kind = self.dtype
  place = self.device
  if dtype is not None:
    kind = dtype
  if device is not None:
    place = device
  return torch.ones(self.size(), dtype=kind, layout=layout, device=place, pin_memory=pin_memory)

def full_like_to_1_4(self: Tensor, fill_value: number, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None, memory_format: Optional[int]=None) -> Tensor:
  kind = self.dtype
  place = self.device
  if dtype is not None:
    kind = dtype
  if device is not None:
    place = device
  return torch.full(self.size(), fill_value, dtype=kind, layout=layout, device=place, pin_memory=pin_memory)

# Up to 1.12 a window in TorchScript needed a type.

def bartlett_window_to_1_12(window_length: int, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.bartlett_window(window_length, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def bartlett_window_periodic_to_1_12(window_length: int, periodic: bool, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.bartlett_window(window_length, periodic, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def blackman_window_to_1_12(window_length: int, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.blackman_window(window_length, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def blackman_window_periodic_to_1_12(window_length: int, periodic: bool, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.blackman_window(window_length, periodic, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def hamming_window_to_1_12(window_length: int, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.hamming_window(window_length, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def hamming_window_periodic_to_1_12(window_length: int, periodic: bool, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.hamming_window(window_length, periodic, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def hamming_window_periodic_alpha_to_1_12(window_length: int, periodic: bool, alpha: float, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.hamming_window(window_length, periodic, alpha, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def hamming_window_periodic_alpha_beta_to_1_12(window_length: int, periodic: bool, alpha: float, beta: float, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.hamming_window(window_length, periodic, alpha, beta, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def hann_window_to_1_12(window_length: int, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.hann_window(window_length, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def hann_window_periodic_to_1_12(window_length: int, periodic: bool, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.hann_window(window_length, periodic, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def kaiser_window_to_1_12(window_length: int, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.kaiser_window(window_length, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def kaiser_window_periodic_to_1_12(window_length: int, periodic: bool, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.kaiser_window(window_length, periodic, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)

def kaiser_window_beta_to_1_12(window_length: int, periodic: bool, beta: float, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
  kind = torch.zeros([0]).dtype
  if dtype is not None:
    kind = dtype
  return torch.kaiser_window(window_length, periodic, beta, dtype=kind, layout=layout, device=device, pin_memory=pin_memory)
