# Losses.

def cross_entropy_loss_to_1_8(self: Tensor, target: Tensor, weight: Optional[Tensor]=None, reduction: int=1, ignore_index: int=-100, label_smoothing: float=0.0) -> Tensor:
  logs = torch.log_softmax(self, 0 if self.dim() == 1 else 1)
  if self.dim() == 1:
    logs = torch.unsqueeze(logs, 0)
  logs = torch.reshape(logs, [logs.size(0), logs.size(1), 1, -1])
  chosen = torch.reshape(target, [logs.size(0), 1, -1])
  loss = torch.nll_loss2d(logs, chosen, weight, reduction, ignore_index)
  if label_smoothing > 0.0:
    ignored = torch.eq(chosen, ignore_index)
    shares = torch.masked_fill(torch.ones_like(torch.select(logs, 1, 0)), ignored, 0.0)
    if weight is not None:
      logs = torch.mul(logs, torch.reshape(weight, [1, -1, 1, 1]))
      places = torch.masked_fill(chosen, ignored, 0)
      shares = torch.mul(shares, torch.reshape(torch.index_select(weight, 0, torch.reshape(places, [-1])), chosen.size()))
    smooth = torch.masked_fill(torch.neg(torch.sum(logs, [1])), ignored, 0.0)
    if reduction == 1:
      smooth = torch.div(torch.sum(smooth), torch.sum(shares))
    if reduction == 2:
      smooth = torch.sum(smooth)
    loss = torch.add(torch.mul(loss, 1.0 - label_smoothing), torch.mul(smooth, label_smoothing / float(logs.size(1))))
  if reduction == 0:
    loss = torch.reshape(loss, target.size())
  return loss
