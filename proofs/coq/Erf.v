(* erf, the integral of the bell curve: the five axioms of the kernel as theorems. *)
From Coq Require Import Reals ZArith Lia Lra.
From Coquelicot Require Import Coquelicot.
From Symcook Require Import Meaning Taylor.
Open Scope R_scope.

(* --- The integral of the bell curve ------------------------------------------------------------------------------ *)
Definition bell (t : R) : R := exp (- t ^ 2).
Definition area (x : R) : R := RInt bell 0 x.

Lemma bell_positive : forall t, 0 < bell t. Proof. intros. apply exp_pos. Qed.
Lemma bell_continuous : forall t, continuous bell t.
Proof. intros t. apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive. exact I. Qed.
Lemma bell_integrable : forall a b, ex_RInt bell a b.
Proof. intros. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply bell_continuous. Qed.
Lemma area_derive : forall x, is_derive area x (bell x).
Proof.
  intros x. apply (is_derive_RInt bell area 0 x); [|apply bell_continuous].
  exists (mkposreal 1 Rlt_0_1). intros y _. apply (RInt_correct (V := R_CompleteNormedModule)), bell_integrable.
Qed.
Lemma area_0 : area 0 = 0.
Proof. unfold area. now rewrite RInt_point. Qed.
Lemma area_le : forall x y, x <= y -> area x <= area y.
Proof.
  intros x y h. unfold area.
  assert (e : RInt bell 0 x + RInt bell x y = RInt bell 0 y) by (apply (RInt_Chasles bell 0 x y); apply bell_integrable).
  assert (0 <= RInt bell x y); [|lra].
  apply RInt_ge_0; [assumption | apply bell_integrable | intros; left; apply bell_positive].
Qed.

Lemma exp_le : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [h| ->]. left. now apply exp_increasing. apply Rle_refl. Qed.

(* Laplace's way: area x ^ 2 + rest x is constant, for rest x = integral of exp(-x^2 (1 + t^2)) / (1 + t^2) over [0, 1] *)
Definition rest_at (x t : R) : R := exp (- (x ^ 2 * (1 + t ^ 2))) / (1 + t ^ 2).
Definition rest (x : R) : R := RInt (rest_at x) 0 1.
Lemma one_square : forall t, 0 < 1 + t ^ 2. Proof. intros. pose proof (pow2_ge_0 t). lra. Qed.
Lemma rest_at_derive : forall x t : R, is_derive (fun u => rest_at u t) x (- 2 * x * exp (- (x ^ 2 * (1 + t ^ 2)))).
Proof.
  intros x t. unfold rest_at. pose proof (one_square t). simpl in *. auto_derive. lra. field. lra.
Qed.
Lemma rest_integrable : forall x a b, ex_RInt (rest_at x) a b.
Proof.
  intros. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (ex_derive_continuous (V := R_NormedModule)). unfold rest_at. pose proof (one_square t). auto_derive. lra.
Qed.
Lemma rest_derive : forall x, is_derive rest x (- 2 * bell x * area x).
Proof.
  intros x. unfold rest.
  replace (- 2 * bell x * area x) with (RInt (fun t => Derive (fun u => rest_at u t) x) 0 1).
  - apply is_derive_RInt_param.
    + apply filter_forall. intros y t _. eexists. apply rest_at_derive.
    + intros t _. apply continuity_2d_pt_ext with (fun u v => - 2 * u * exp (- (u ^ 2 * (1 + v ^ 2)))).
      { intros u v. symmetry. apply is_derive_unique, rest_at_derive. }
      apply continuity_2d_pt_mult.
      { apply continuity_2d_pt_mult. apply continuity_2d_pt_const. apply continuity_2d_pt_id1. }
      apply (continuity_1d_2d_pt_comp exp). apply derivable_continuous_pt, derivable_pt_exp.
      apply continuity_2d_pt_opp, continuity_2d_pt_mult.
      { apply (continuity_1d_2d_pt_comp (fun z => z ^ 2) (fun u _ => u)). apply derivable_continuous_pt. reg. apply continuity_2d_pt_id1. }
      apply continuity_2d_pt_plus. apply continuity_2d_pt_const.
      apply (continuity_1d_2d_pt_comp (fun z => z ^ 2) (fun _ v => v)). apply derivable_continuous_pt. reg. apply continuity_2d_pt_id2.
    + apply filter_forall. intros y. apply rest_integrable.
  - transitivity (RInt (fun t => scal (- 2 * bell x) (scal x (bell (x * t + 0)))) 0 1).
    + apply RInt_ext. intros t _. etransitivity. apply is_derive_unique, rest_at_derive.
      assert (e : exp (- (x ^ 2 * (1 + t ^ 2))) = bell x * bell (x * t + 0)).
      { unfold bell. rewrite <- exp_plus. f_equal. ring. }
      rewrite e. unfold scal. simpl. unfold mult. simpl. ring.
    + etransitivity.
      * apply (RInt_scal (V := R_CompleteNormedModule) (fun t => scal x (bell (x * t + 0))) 0 1 (- 2 * bell x)).
        apply (ex_RInt_comp_lin bell x 0 0 1), bell_integrable.
      * etransitivity.
        { apply f_equal, (RInt_comp_lin (V := R_CompleteNormedModule) bell x 0 0 1), bell_integrable. }
        unfold area, scal. simpl. unfold mult. simpl.
        rewrite Rmult_0_r, Rmult_1_r, !Rplus_0_r. reflexivity.
Qed.
Lemma rest_0 : rest 0 = PI / 4.
Proof.
  unfold rest. transitivity (RInt (fun t => / (1 + t²)) 0 1).
  - apply RInt_ext. intros t _. unfold rest_at, Rsqr, Rdiv. rewrite (pow_i 2) by lia. rewrite Rmult_0_l, Ropp_0, exp_0, Rmult_1_l.
    f_equal. ring.
  - transitivity (minus (atan 1) (atan 0)).
    + apply is_RInt_unique, (is_RInt_derive atan (fun t => / (1 + t²))).
      intros. apply is_derive_atan.
      intros t _. apply (ex_derive_continuous (V := R_NormedModule)). pose proof (Rle_0_sqr t). unfold Rsqr in *. auto_derive. lra.
    + rewrite atan_1, atan_0. unfold minus, plus, opp. simpl. ring.
Qed.
Lemma area_square : forall x, 0 <= x -> area x ^ 2 = PI / 4 - rest x.
Proof.
  intros x [h| <-]; [|rewrite area_0, rest_0; ring].
  assert (e : (fun y => area y ^ 2 + rest y) 0 = (fun y => area y ^ 2 + rest y) x).
  { apply (eq_is_derive (V := R_NormedModule) (fun y => area y ^ 2 + rest y) 0 x); [|assumption]. intros t _.
    evar_last. apply (is_derive_plus (V := R_NormedModule)).
    apply (is_derive_pow area 2 t), area_derive. apply rest_derive. unfold plus, zero. simpl. ring. }
  simpl in e. rewrite area_0, rest_0 in e. simpl. lra.
Qed.
Lemma rest_bounds : forall x, 0 <= rest x /\ rest x <= exp (- x ^ 2) * (PI / 4).
Proof.
  intros x. split.
  - apply RInt_ge_0. lra. apply rest_integrable. intros t _. unfold rest_at. pose proof (one_square t).
    apply Rmult_le_pos. left. apply exp_pos. left. now apply Rinv_0_lt_compat.
  - rewrite <- rest_0. unfold rest. rewrite <- (RInt_scal (V := R_CompleteNormedModule)) by apply rest_integrable.
    apply RInt_le. lra. apply rest_integrable. apply (ex_RInt_scal (V := R_NormedModule)), rest_integrable.
    intros t _. change (rest_at x t <= exp (- x ^ 2) * rest_at 0 t). unfold rest_at, Rdiv. pose proof (one_square t).
    replace (- (0 ^ 2 * (1 + t ^ 2))) with 0 by ring. rewrite exp_0, Rmult_1_l.
    apply Rmult_le_compat_r. left. now apply Rinv_0_lt_compat. apply exp_le.
    pose proof (Rle_0_sqr (x * t)) as p. unfold Rsqr in p. simpl. lra.
Qed.

(* --- The kernel's axioms of erf ------------------------------------------------------------------------------------ *)
Lemma root_pi : 0 < sqrt PI. Proof. apply sqrt_lt_R0, PI_RGT_0. Qed.
Lemma erf_area : forall x, erf x = 2 / sqrt PI * area x. Proof. reflexivity. Qed.
Lemma erf_0 : erf 0 = 0. Proof. rewrite erf_area, area_0. ring. Qed.
Lemma factor_positive : 0 < 2 / sqrt PI.
Proof. apply Rdiv_lt_0_compat. lra. apply root_pi. Qed.
Lemma erf_mono : forall x y, x <= y -> erf x <= erf y.
Proof. intros x y h. rewrite !erf_area. apply Rmult_le_compat_l. left. apply factor_positive. now apply area_le. Qed.
Lemma ax_erf_odd : forall x, erf (- x) = - erf x.
Proof.
  intros x. rewrite !erf_area.
  assert (e : area (- x) = - area x); [|rewrite e; ring].
  unfold area at 1. apply is_RInt_unique.
  apply (is_RInt_ext (V := R_NormedModule) (fun t => opp (opp (bell (- t))))).
  { intros t _. unfold opp, bell. simpl. rewrite Ropp_involutive. f_equal. ring. }
  apply (is_RInt_comp_opp (V := R_NormedModule) (fun t => opp (bell t)) 0 (- x)). rewrite Ropp_0, Ropp_involutive.
  apply (is_RInt_opp (V := R_NormedModule)), (RInt_correct (V := R_CompleteNormedModule)), bell_integrable.
Qed.
Lemma erf_square : forall x, 0 <= x -> erf x ^ 2 = 1 - 4 / PI * rest x.
Proof.
  intros x h. rewrite erf_area, Rpow_mult_distr, area_square by assumption.
  pose proof PI_RGT_0 as p. unfold Rdiv. rewrite Rpow_mult_distr, pow_inv.
  replace (sqrt PI ^ 2) with PI by (simpl; rewrite Rmult_1_r, sqrt_sqrt; lra). field. lra.
Qed.
Lemma erf_positive : forall x, 0 <= x -> 0 <= erf x.
Proof. intros x h. rewrite <- erf_0. now apply erf_mono. Qed.
Lemma ax_erf_range : forall x, 0 <= x -> 0 <= erf x /\ erf x <= 1.
Proof.
  intros x h. pose proof (erf_positive x h). split. assumption.
  pose proof (erf_square x h) as e. destruct (rest_bounds x) as [r _]. pose proof PI_RGT_0.
  assert (0 <= 4 / PI * rest x). { apply Rmult_le_pos; [|assumption]. left. apply Rdiv_lt_0_compat; lra. }
  destruct (Rle_or_lt (erf x) 1) as [?|g]; [assumption|].
  assert (1 * 1 < erf x * erf x) by (apply Rmult_gt_0_lt_compat; lra). simpl in e. lra.
Qed.
Lemma ax_erf_tail : forall x, 0 <= x -> 1 - erf x <= exp (- x ^ 2).
Proof.
  intros x h. destruct (ax_erf_range x h) as [p q]. pose proof (erf_square x h) as e.
  destruct (rest_bounds x) as [_ r]. pose proof PI_RGT_0.
  assert (4 / PI * rest x <= exp (- x ^ 2)).
  { apply Rle_trans with (4 / PI * (exp (- x ^ 2) * (PI / 4))). apply Rmult_le_compat_l; [|assumption].
    left. apply Rdiv_lt_0_compat; lra. right. field. lra. }
  assert (1 - erf x <= (1 - erf x) * (1 + erf x)).
  { rewrite <- (Rmult_1_r (1 - erf x)) at 1. apply Rmult_le_compat_l; lra. }
  replace ((1 - erf x) * (1 + erf x)) with (1 - erf x ^ 2) in * by ring. lra.
Qed.

(* The alternating series: term by term it is the integral of Taylor's sums for exp (-t^2). *)
Definition series_term (x : R) (m : Z) : R :=
  power (IZR (-1)) m * power x (2 * m + 1) / (prod 1 m (fun q => IZR q) * (2 * IZR m + 1)).
Definition taylor_term (x : R) (m : Z) : R := power (- x ^ 2) m / prod 1 m (fun q => IZR q).
Lemma power_nat : forall x (k : nat) m, m = Z.of_nat k -> power x m = x ^ k.
Proof.
  intros x k m ->. unfold power. replace (0 <=? Z.of_nat k)%Z with true by (symmetry; apply Z.leb_le; lia).
  now rewrite Nat2Z.id.
Qed.
Lemma term_derive : forall (k : nat) (x : R),
  is_derive (fun x => series_term x (Z.of_nat k)) x (taylor_term x (Z.of_nat k)).
Proof.
  intros k x. unfold taylor_term. rewrite (power_nat _ k) by reflexivity. rewrite prod_fact.
  pose proof (INR_fact_neq_0 k) as f. pose proof (pos_INR k) as p.
  apply is_derive_ext with (fun x => (-1) ^ k / (INR (fact k) * (2 * INR k + 1)) * x ^ (2 * k + 1)).
  - intros t. unfold series_term. rewrite (power_nat (IZR (-1)) k), (power_nat t (2 * k + 1)), prod_fact by lia.
    rewrite <- INR_IZR_INZ. match goal with |- ?a = ?b => change (@eq R a b) end. unfold Rdiv. ring.
  - auto_derive. exact I. replace (k + (k + 0) + 1)%nat with (S (2 * k)) by lia. rewrite S_INR, mult_INR. cbn [Init.Nat.pred].
    replace (- x ^ 2) with (-1 * x ^ 2) by ring. rewrite Rpow_mult_distr, <- pow_mult. simpl (INR 2). field. split; lra.
Qed.
Lemma series_derive : forall n (x : R),
  is_derive (fun x => sum_of n 0 (series_term x)) x (sum_of n 0 (taylor_term x)).
Proof.
  induction n as [|n h]; intros x.
  - change (is_derive (fun _ : R => 0) x 0). apply (is_derive_const (V := R_NormedModule)).
  - change (is_derive (fun x : R => sum_of n 0 (series_term x) + series_term x (Z.of_nat n)) x
              (sum_of n 0 (taylor_term x) + taylor_term x (Z.of_nat n))).
    apply (is_derive_plus (V := R_NormedModule)). apply h. apply term_derive.
Qed.
Lemma series_0 : forall n, sum_of n 0 (series_term 0) = 0.
Proof.
  induction n as [|n h]. reflexivity. cbn [sum_of]. rewrite h. unfold series_term.
  rewrite (power_nat 0 (2 * n + 1)) by lia. rewrite pow_i by lia. unfold Rdiv. ring.
Qed.
Lemma by_derivative : forall (f df : R -> R) (x : R), 0 <= x -> (forall t, is_derive f t (df t)) ->
  (forall t, 0 <= df t) -> f 0 <= f x.
Proof.
  intros f df x h d p. destruct (MVT_gen f 0 x df) as [c [_ e]].
  - intros; apply d.
  - intros t _. apply continuity_pt_filterlim, (ex_derive_continuous (V := R_NormedModule)). eexists. apply d.
  - assert (0 <= df c * (x - 0)) by (apply Rmult_le_pos; [apply p | lra]). lra.
Qed.
Lemma ax_erf_lower : forall (x : R) (k : Z), 0 <= IZR k -> 0 <= x ->
  2 / sqrt PI * sum 0 (2 * k + 1) (series_term x) <= erf x.
Proof.
  intros x k g h. rewrite erf_area. apply Rmult_le_compat_l. left. apply factor_positive.
  set (n := Z.to_nat (2 * k + 1 - 0 + 1)).
  assert (d : forall t, is_derive (fun t => area t - sum_of n 0 (series_term t)) t (bell t - sum_of n 0 (taylor_term t))).
  { intros t. apply (is_derive_minus (V := R_NormedModule)). apply area_derive. apply series_derive. }
  assert (p : forall t, 0 <= bell t - sum_of n 0 (taylor_term t)).
  { intros t. pose proof (ax_exp_lower (- t ^ 2) k g) as e. unfold sum in e. fold n in e. unfold bell, taylor_term. lra. }
  pose proof (by_derivative _ _ x h d p) as e. cbv beta in e. rewrite area_0, series_0 in e. unfold sum. fold n. lra.
Qed.
Lemma ax_erf_upper : forall (x : R) (k : Z), 0 <= IZR k -> 0 <= x ->
  erf x <= 2 / sqrt PI * sum 0 (2 * k) (series_term x).
Proof.
  intros x k g h. rewrite erf_area. apply Rmult_le_compat_l. left. apply factor_positive.
  set (n := Z.to_nat (2 * k - 0 + 1)).
  assert (d : forall t, is_derive (fun t => sum_of n 0 (series_term t) - area t) t (sum_of n 0 (taylor_term t) - bell t)).
  { intros t. apply (is_derive_minus (V := R_NormedModule)). apply series_derive. apply area_derive. }
  assert (p : forall t, 0 <= sum_of n 0 (taylor_term t) - bell t).
  { intros t. assert (s : - t ^ 2 <= 0) by (pose proof (pow2_ge_0 t); lra).
    pose proof (ax_exp_upper (- t ^ 2) k g s) as e. unfold sum in e. fold n in e. unfold bell, taylor_term. lra. }
  pose proof (by_derivative _ _ x h d p) as e. cbv beta in e. rewrite area_0, series_0 in e. unfold sum. fold n. lra.
Qed.
