module causes

go 1.19
