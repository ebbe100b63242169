module {
func.func @p0(%a: tensor<4xf32>) {
%0 = "arith.negf"(%a) : (tensor<4xf32>) -> tensor<4xf32>
return
}
}
