use keops::keops;

keops! {
    fn many(
        v1: Pm<1>, v2: Pm<1>, v3: Pm<1>, v4: Pm<1>, v5: Pm<1>, v6: Pm<1>, v7: Pm<1>, v8: Pm<1>, v9: Pm<1>, v10: Pm<1>, v11: Pm<1>, v12: Pm<1>, v13: Pm<1>, v14: Pm<1>, v15: Pm<1>, v16: Pm<1>, v17: Pm<1>, v18: Pm<1>, v19: Pm<1>, v20: Pm<1>, v21: Pm<1>, v22: Pm<1>, v23: Pm<1>, v24: Pm<1>, v25: Pm<1>, v26: Pm<1>, v27: Pm<1>, v28: Pm<1>, v29: Pm<1>, v30: Pm<1>, v31: Pm<1>,
        x_i: Vi<1>, y_j: Vj<1>
    ) = Sum_Reduction(v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15 + v16 + v17 + v18 + v19 + v20 + v21 + v22 + v23 + v24 + v25 + v26 + v27 + v28 + v29 + v30 + v31 + x_i * y_j, 0);

    #[grad(x_i)]
    fn saved(
        v1: Pm<1>, v2: Pm<1>, v3: Pm<1>, v4: Pm<1>, v5: Pm<1>, v6: Pm<1>, v7: Pm<1>, v8: Pm<1>, v9: Pm<1>, v10: Pm<1>, v11: Pm<1>, v12: Pm<1>, v13: Pm<1>, v14: Pm<1>, v15: Pm<1>, v16: Pm<1>, v17: Pm<1>, v18: Pm<1>, v19: Pm<1>, v20: Pm<1>, v21: Pm<1>, v22: Pm<1>, v23: Pm<1>, v24: Pm<1>, v25: Pm<1>, v26: Pm<1>, v27: Pm<1>, v28: Pm<1>, v29: Pm<1>,
        x_i: Vi<1>, y_j: Vj<1>
    ) = LogSumExp_Reduction(v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15 + v16 + v17 + v18 + v19 + v20 + v21 + v22 + v23 + v24 + v25 + v26 + v27 + v28 + v29 + x_i * y_j, 0);
}

fn main() {}
