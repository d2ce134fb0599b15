(* The kernel's axioms exp_lower and exp_upper: Taylor's theorem, from Coquelicot's Taylor_Lagrange. *)
From Coq Require Import Reals ZArith Lia Lra.
From Coquelicot Require Import Coquelicot.
From Symcook Require Import Meaning.
Open Scope R_scope.

Lemma Dexp : forall n x, Derive_n exp n x = exp x.
Proof. intros. apply is_derive_n_unique, is_derive_n_exp. Qed.
Lemma exD : forall n x, ex_derive_n exp n x.
Proof.
  intros [|n] x. exact I. simpl. exists (exp x).
  apply (is_derive_ext exp). intros t. symmetry. apply Dexp. apply is_derive_exp.
Qed.
Lemma Dexpo : forall n x, Derive_n (fun t => exp (- t)) n x = (-1) ^ n * exp (- x).
Proof. intros. rewrite Derive_n_comp_opp. now rewrite Dexp. apply filter_forall. intros; apply exD. Qed.
Lemma exDo : forall n x, ex_derive_n (fun t => exp (- t)) n x.
Proof. intros. apply ex_derive_n_comp_opp. apply filter_forall. intros; apply exD. Qed.

Lemma prod_fact : forall m : nat, prod 1 (Z.of_nat m) (fun q => IZR q) = INR (fact m).
Proof.
  intros m. unfold prod. replace (Z.to_nat (Z.of_nat m - 1 + 1)) with m by lia.
  induction m as [|m h]. reflexivity.
  cbn [prod_of]. rewrite h. rewrite fact_simpl, mult_INR.
  replace (1 + Z.of_nat m)%Z with (Z.of_nat (S m)) by lia. rewrite <- INR_IZR_INZ. ring.
Qed.
Lemma sum_taylor : forall (n : nat) x,
  sum 0 (Z.of_nat n) (fun m => power x m / prod 1 m (fun q => IZR q)) = sum_f_R0 (fun m => x ^ m / INR (fact m)) n.
Proof.
  intros n x. unfold sum. replace (Z.to_nat (Z.of_nat n - 0 + 1)) with (S n) by lia.
  induction n as [|n h].
  - simpl. unfold power. simpl. unfold prod. simpl. lra.
  - cbn [sum_of] in *. rewrite h. cbn [sum_f_R0]. f_equal.
    replace (0 + Z.of_nat (S n))%Z with (Z.of_nat (S n)) by lia. rewrite prod_fact. unfold power.
    replace (0 <=? Z.of_nat (S n))%Z with true by (symmetry; apply Z.leb_le; lia). now rewrite Nat2Z.id.
Qed.
Lemma taylor_pos : forall n x, 0 < x -> exists z, 
  exp x = sum_f_R0 (fun m => x ^ m / INR (fact m)) n + x ^ (S n) / INR (fact (S n)) * exp z.
Proof.
  intros n x h. destruct (Taylor_Lagrange exp n 0 x h) as [z [_ e]].
  intros; apply exD. exists z. rewrite e, Dexp. rewrite Rminus_0_r. f_equal.
  apply sum_eq. intros. rewrite Dexp, exp_0. ring.
Qed.
Lemma taylor_neg : forall n x, x < 0 -> exists z, 
  exp x = sum_f_R0 (fun m => x ^ m / INR (fact m)) n + x ^ (S n) / INR (fact (S n)) * exp z.
Proof.
  intros n x h. assert (h' : 0 < - x) by lra.
  destruct (Taylor_Lagrange (fun t => exp (- t)) n 0 (- x) h') as [z [_ e]].
  intros; apply exDo. exists (- z). rewrite Ropp_involutive in e. rewrite e, Dexpo, Rminus_0_r.
  assert (p : forall m, (- x) ^ m * (-1) ^ m = x ^ m).
  { intros m. rewrite <- Rpow_mult_distr. f_equal. ring. }
  f_equal.
  - apply sum_eq. intros. rewrite Dexpo, Ropp_0, exp_0, <- (p i). field. apply INR_fact_neq_0.
  - rewrite <- (p (S n)). field. apply INR_fact_neq_0.
Qed.
Lemma at0 : forall n, sum_f_R0 (fun m => 0 ^ m / INR (fact m)) n = 1.
Proof. induction n as [|n h]. simpl. lra. cbn [sum_f_R0]. rewrite h, pow_i by lia. unfold Rdiv. ring. Qed.
Lemma rest_even : forall k x z, 0 <= x ^ (2 * k) / INR (fact (2 * k)) * exp z.
Proof.
  intros. apply Rmult_le_pos; [|left; apply exp_pos]. unfold Rdiv. apply Rmult_le_pos.
  rewrite pow_mult. apply pow_le. apply pow2_ge_0. left. apply Rinv_0_lt_compat. apply INR_fact_lt_0.
Qed.
Lemma ax_exp_lower : forall x (k : Z), 0 <= IZR k ->
  sum 0 (2 * k + 1) (fun m => power x m / prod 1 m (fun q => IZR q)) <= exp x.
Proof.
  intros x k h. apply le_IZR in h. replace (2 * k + 1)%Z with (Z.of_nat (2 * Z.to_nat k + 1)) by lia.
  rewrite sum_taylor. set (n := (2 * Z.to_nat k + 1)%nat).
  destruct (Rtotal_order x 0) as [s|[->|s]].
  - destruct (taylor_neg n x s) as [z ->]. replace (S n) with (2 * (Z.to_nat k + 1))%nat by (unfold n; lia).
    pose proof (rest_even (Z.to_nat k + 1) x z). lra.
  - rewrite at0, exp_0. lra.
  - destruct (taylor_pos n x s) as [z ->]. replace (S n) with (2 * (Z.to_nat k + 1))%nat by (unfold n; lia).
    pose proof (rest_even (Z.to_nat k + 1) x z). lra.
Qed.
Lemma ax_exp_upper : forall x (k : Z), 0 <= IZR k -> x <= 0 ->
  exp x <= sum 0 (2 * k) (fun m => power x m / prod 1 m (fun q => IZR q)).
Proof.
  intros x k h s. apply le_IZR in h. replace (2 * k)%Z with (Z.of_nat (2 * Z.to_nat k)) by lia.
  rewrite sum_taylor. set (n := (2 * Z.to_nat k)%nat). destruct s as [s| ->].
  - destruct (taylor_neg n x s) as [z ->].
    assert (x ^ S n / INR (fact (S n)) * exp z <= 0); [|lra].
    replace (x ^ S n / INR (fact (S n)) * exp z) with (- (- x * ((x ^ n * / INR (fact (S n))) * exp z))) by (simpl pow; unfold Rdiv; ring).
    apply Ropp_le_cancel. rewrite Ropp_0, Ropp_involutive.
    repeat apply Rmult_le_pos; try lra. unfold n. rewrite pow_mult. apply pow_le, pow2_ge_0.
    left. apply Rinv_0_lt_compat, INR_fact_lt_0. left. apply exp_pos.
  - rewrite at0, exp_0. lra.
Qed.
