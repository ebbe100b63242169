module {
func.func @p0(%a0: tensor<4xf32>) {
%0:1 = "stablehlo.all_reduce"(%a0) ({
^bb0(%x: tensor<f64>, %y: tensor<f64>):
 %s = "stablehlo.add"(%x, %y) : (tensor<f64>, tensor<f64>) -> tensor<f64>
 "stablehlo.return"(%s) : (tensor<f64>) -> ()
}) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<4xf64>)
return
}
}
