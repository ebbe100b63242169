# What torch.export writes for what has been there under another name.

def _unsafe_index_Tensor_to_2_0(self: Tensor, indices: List[Optional[Tensor]]) -> Tensor:
  return torch.index(self, indices)

def _native_batch_norm_legit_no_training_to_2_0(input: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], running_mean: Tensor, running_var: Tensor, momentum: float, eps: float) -> Tuple[Tensor, Tensor, Tensor]:
  result, mean, deviation = torch.native_batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)
  nothing = torch.zeros([0], dtype=input.dtype, device=input.device)
  return (result, nothing, nothing)

def _to_copy_to_1_9(self: Tensor, *, dtype: Optional[int]=None, layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None, non_blocking: bool=False, memory_format: Optional[int]=None) -> Tensor:
  return torch.to(self, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory, non_blocking=non_blocking, copy=True, memory_format=memory_format)
