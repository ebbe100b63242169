module {
func.func @p0(%a0: tensor<4xbf16>, %a1: tensor<4xbf16>) {
%0:2 = "stablehlo.all_reduce"(%a0, %a1) ({
^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
 %s = "stablehlo.add"(%x, %y) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
 "stablehlo.return"(%s) : (tensor<bf16>) -> ()
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xbf16>, tensor<4xbf16>) -> (tensor<4xbf16>, tensor<4xbf16>)
return
}
}
