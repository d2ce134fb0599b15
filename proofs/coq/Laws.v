(* Lemmas that the proofs of the other files use: the kernel's axioms of arithmetic (those of exp and erf are in Taylor.v
   and Erf.v), the laws of its normal form, and small steps. Nothing here needs to be read to know what is proved. *)
From Coq Require Import Reals ZArith Lia Lra ClassicalEpsilon Classical.
From Symcook Require Import Meaning.
Open Scope R_scope.

(* --- the axioms ----------------------------------------------------------------------------------------------- *)
Lemma ax_relu_pos : forall x, 0 <= x -> relu x = x.
Proof. intros. unfold relu. now apply Rmax_right. Qed.
Lemma ax_relu_neg : forall x, x <= 0 -> relu x = 0.
Proof. intros. unfold relu. now apply Rmax_left. Qed.
Lemma ax_abs_pos : forall x, 0 <= x -> Rabs x = x.
Proof. intros. apply Rabs_pos_eq. lra. Qed.
Lemma ax_abs_neg : forall x, x <= 0 -> Rabs x = - x.
Proof. intros. now apply Rabs_left1. Qed.
Lemma ax_min_left : forall x y, x <= y -> Rmin x y = x.
Proof. apply Rmin_left. Qed.
Lemma ax_min_right : forall x y, y <= x -> Rmin x y = y.
Proof. apply Rmin_right. Qed.
Lemma ax_max_left : forall x y, y <= x -> Rmax x y = x.
Proof. apply Rmax_left. Qed.
Lemma ax_max_right : forall x y, x <= y -> Rmax x y = y.
Proof. apply Rmax_right. Qed.
Lemma ax_inv : forall x, ~ (x = 0) -> x * (1 / x) = 1.
Proof. intros. field. assumption. Qed.
Lemma ax_sqrt : forall x, 0 <= x -> 0 <= sqrt x /\ sqrt x * sqrt x = x.
Proof. intros. split. apply sqrt_pos. now apply sqrt_sqrt. Qed.
Lemma ax_exp_pos : forall x, 0 < exp x.
Proof. exact exp_pos. Qed.
Lemma ax_exp_ge : forall x, 1 + x <= exp x.
Proof. intros x. destruct (Req_dec x 0) as [->|h]. rewrite exp_0. lra. left. now apply exp_ineq1. Qed.
Lemma ax_exp_log : forall x, 0 < x -> exp (ln x) = x.
Proof. intros. now apply exp_ln. Qed.
Lemma ax_int_lt : forall a b : Z, IZR a < IZR b -> IZR a + 1 <= IZR b.
Proof. intros a b h. apply lt_IZR in h. rewrite <- plus_IZR. apply IZR_le. lia. Qed.
Lemma ax_archimedes : forall x : R, exists n : Z, 1 <= IZR n /\ x <= IZR n.
Proof.
  intros x. exists (Z.max 1 (up x)). destruct (archimed x) as [h _].
  split. apply IZR_le. lia. apply Rle_trans with (IZR (up x)). lra. apply IZR_le. lia.
Qed.
Lemma ax_sum_empty : forall (f : Z -> R) (a b : Z), IZR b < IZR a -> sum a b (fun m => f m) = 0.
Proof. intros f a b h. apply lt_IZR in h. unfold sum. replace (Z.to_nat (b - a + 1)) with O by lia. reflexivity. Qed.
Lemma sum_step_Z : forall (f : Z -> R) (a b : Z), (a <= b)%Z -> sum a b f = sum a (b - 1) f + f b.
Proof.
  intros f a b h. unfold sum. replace (Z.to_nat (b - a + 1)) with (S (Z.to_nat (b - 1 - a + 1))) by lia.
  simpl. do 2 f_equal. lia.
Qed.
Lemma ax_sum_step : forall (f : Z -> R) (a b : Z), IZR a <= IZR b ->
  sum a b (fun m => f m) = sum a (b - 1) (fun m => f m) + f b.
Proof. intros. apply sum_step_Z. now apply le_IZR. Qed.
Lemma ax_prod_empty : forall (f : Z -> R) (a b : Z), IZR b < IZR a -> prod a b (fun m => f m) = 1.
Proof. intros f a b h. apply lt_IZR in h. unfold prod. replace (Z.to_nat (b - a + 1)) with O by lia. reflexivity. Qed.
Lemma ax_prod_step : forall (f : Z -> R) (a b : Z), IZR a <= IZR b ->
  prod a b (fun m => f m) = prod a (b - 1) (fun m => f m) * f b.
Proof.
  intros f a b h. apply le_IZR in h. unfold prod.
  replace (Z.to_nat (b - a + 1)) with (S (Z.to_nat (b - 1 - a + 1))) by lia.
  simpl. do 2 f_equal. lia.
Qed.
Lemma ax_pow_zero : forall x, power x 0 = 1.
Proof. reflexivity. Qed.
Lemma ax_pow_step : forall (x : R) (n : Z), 0 <= IZR n -> power x (n + 1) = power x n * x.
Proof.
  intros x n h. apply le_IZR in h. unfold power.
  replace (0 <=? n + 1)%Z with true by (symmetry; apply Z.leb_le; lia).
  replace (0 <=? n)%Z with true by (symmetry; apply Z.leb_le; lia).
  replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia. simpl. ring.
Qed.

(* --- laws of the normal form ----------------------------------------------------------------------------------- *)
Lemma ind_ext : forall P Q : Prop, (P <-> Q) -> ind P = ind Q.
Proof. intros P Q h. unfold ind. destruct (excluded_middle_informative P), (excluded_middle_informative Q); tauto. Qed.
Lemma ind_true : forall P : Prop, (P <-> True) -> ind P = 1.
Proof. intros P h. unfold ind. destruct (excluded_middle_informative P); tauto. Qed.
Lemma ind_false : forall P : Prop, (P <-> False) -> ind P = 0.
Proof. intros P h. unfold ind. destruct (excluded_middle_informative P); tauto. Qed.
Lemma ind_cases : forall P : Prop, (P /\ ind P = 1) \/ (~ P /\ ind P = 0).
Proof. intros P. unfold ind. destruct (excluded_middle_informative P); tauto. Qed.
Lemma IZR_ind : forall P : Prop, IZR (ind_Z P) = ind P.
Proof. intros P. unfold ind, ind_Z. now destruct (excluded_middle_informative P). Qed.
Lemma IZR_relu : forall x, IZR (relu_Z x) = relu (IZR x).
Proof.
  intros. unfold relu, relu_Z. destruct (Z.max_spec 0 x) as [[h ->]|[h ->]].
  rewrite Rmax_right; auto. apply IZR_le. lia. rewrite Rmax_left; auto. apply (IZR_le x 0). lia.
Qed.
Lemma IZR_abs : forall x, IZR (Z.abs x) = Rabs (IZR x).
Proof. intros. apply abs_IZR. Qed.
Lemma IZR_min : forall x y, IZR (Z.min x y) = Rmin (IZR x) (IZR y).
Proof.
  intros. destruct (Z.min_spec x y) as [[h ->]|[h ->]].
  rewrite Rmin_left; auto. apply IZR_le. lia. rewrite Rmin_right; auto. apply IZR_le. lia.
Qed.
Lemma IZR_max : forall x y, IZR (Z.max x y) = Rmax (IZR x) (IZR y).
Proof.
  intros. destruct (Z.max_spec x y) as [[h ->]|[h ->]].
  rewrite Rmax_right; auto. apply IZR_le. lia. rewrite Rmax_left; auto. apply IZR_le. lia.
Qed.
Lemma IZR_sum : forall a b f, IZR (sum_Z a b f) = sum a b (fun m => IZR (f m)).
Proof.
  intros. unfold sum_Z, sum. induction (Z.to_nat (b - a + 1)) as [|k h]; simpl. reflexivity.
  now rewrite plus_IZR, h.
Qed.
Lemma IZR_prod : forall a b f, IZR (prod_Z a b f) = prod a b (fun m => IZR (f m)).
Proof.
  intros. unfold prod_Z, prod. induction (Z.to_nat (b - a + 1)) as [|k h]; simpl. reflexivity.
  now rewrite mult_IZR, h.
Qed.
Lemma IZR_pow : forall (x : Z) (k : nat), IZR (x ^ Z.of_nat k) = IZR x ^ k.
Proof. intros. rewrite pow_IZR. reflexivity. Qed.

Lemma sum_ext : forall a b c d f g, a = c -> b = d -> (forall m, f m = g m) -> sum a b f = sum c d g.
Proof.
  intros a b c d f g <- <- h. unfold sum. induction (Z.to_nat (b - a + 1)) as [|k e]; simpl. reflexivity.
  now rewrite e, h.
Qed.
Lemma prod_ext : forall a b c d f g, a = c -> b = d -> (forall m, f m = g m) -> prod a b f = prod c d g.
Proof.
  intros a b c d f g <- <- h. unfold prod. induction (Z.to_nat (b - a + 1)) as [|k e]; simpl. reflexivity.
  now rewrite e, h.
Qed.
Lemma prod_one : forall a b f, (forall m, f m = 1) -> prod a b f = 1.
Proof.
  intros a b f h. unfold prod. induction (Z.to_nat (b - a + 1)) as [|k e]; simpl. reflexivity.
  rewrite e, h. ring.
Qed.
(* one monomial c * g taken off a sum: the rest is r *)
Lemma sum_cons : forall a b f c g r R1, (forall m, f m = c * g m + r m) -> sum a b r = R1 ->
  sum a b f = c * sum a b g + R1.
Proof.
  intros a b f c g r R1 h <-. unfold sum. induction (Z.to_nat (b - a + 1)) as [|k e]; simpl. ring.
  rewrite e, h. ring.
Qed.
Lemma sum_nil : forall a b f, (forall m, f m = 0) -> sum a b f = 0.
Proof.
  intros a b f h. unfold sum. induction (Z.to_nat (b - a + 1)) as [|k e]; simpl. reflexivity.
  rewrite e, h. ring.
Qed.
(* a sum with as many terms as a numeral says is written out by computation: sumN a 3 f *)
Lemma sum_n : forall (n : nat) a b f, (b - a + 1)%Z = Z.of_nat n -> sum a b f = sum_of n a f.
Proof. intros n a b f h. unfold sum. rewrite h, Nat2Z.id. reflexivity. Qed.
Lemma sum_0 : forall a b f, (b - a + 1 <= 0)%Z -> sum a b f = 0.
Proof. intros a b f h. unfold sum. replace (Z.to_nat (b - a + 1)) with O by lia. reflexivity. Qed.
Lemma prod_n : forall (n : nat) a b f, (b - a + 1)%Z = Z.of_nat n -> prod a b f = prod_of n a f.
Proof. intros n a b f h. unfold prod. rewrite h, Nat2Z.id. reflexivity. Qed.
Lemma prod_0 : forall a b f, (b - a + 1 <= 0)%Z -> prod a b f = 1.
Proof. intros a b f h. unfold prod. replace (Z.to_nat (b - a + 1)) with O by lia. reflexivity. Qed.

Lemma exp_lin : forall (k : nat) z, exp (INR k * z) = exp z ^ k.
Proof.
  intros k z. induction k as [|k h]. simpl. replace (0 * z) with 0 by ring. apply exp_0.
  rewrite S_INR. replace ((INR k + 1) * z) with (INR k * z + z) by ring. rewrite exp_plus, h. simpl. ring.
Qed.
Lemma exp_product : forall z, exp z * exp (- z) = 1.
Proof. intros z. rewrite <- exp_plus. replace (z + - z) with 0 by ring. apply exp_0. Qed.

(* comparisons *)
Lemma le_gap : forall a b c p, 0 < c -> b - a = c * p -> (a <= b <-> 0 <= p).
Proof.
  intros a b c p h e. split; intros.
  - apply Rmult_le_reg_l with c; lra.
  - assert (0 <= c * p) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma lt_gap : forall a b c p, 0 < c -> b - a = c * p -> (a < b <-> 0 < p).
Proof.
  intros a b c p h e. split; intros.
  - apply Rmult_lt_reg_l with c; lra.
  - assert (0 < c * p) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
Lemma eq_gap : forall a b c p, c <> 0 -> b - a = c * p -> (a = b <-> 0 = p).
Proof.
  intros a b c p h e. split; intros.
  - apply Rmult_eq_reg_l with c; [lra | assumption].
  - subst p. lra.
Qed.
Lemma not_le_iff : forall p q r, (p <-> 0 <= q) -> - q = r -> (~ p <-> 0 < r).
Proof. intros p q r h <-. rewrite h. split; intros; lra. Qed.
Lemma not_lt_iff : forall p q r, (p <-> 0 < q) -> - q = r -> (~ p <-> 0 <= r).
Proof. intros p q r h <-. rewrite h. split; intros; lra. Qed.
Lemma nn_iff : forall p q : Prop, (p <-> ~ q) -> (~ p <-> q).
Proof. intros. tauto. Qed.
Lemma not_true_iff : forall P : Prop, (P <-> True) -> (~ P <-> False). Proof. tauto. Qed.
Lemma not_false_iff : forall P : Prop, (P <-> False) -> (~ P <-> True). Proof. tauto. Qed.
Lemma not_iff : forall p q : Prop, (p <-> q) -> (~ p <-> ~ q). Proof. tauto. Qed.
Lemma all_iff : forall A (P Q : A -> Prop), (forall x, P x <-> Q x) -> ((forall x, P x) <-> (forall x, Q x)).
Proof. firstorder. Qed.
Lemma ex_iff : forall A (P Q : A -> Prop), (forall x, P x <-> Q x) -> ((exists x, P x) <-> (exists x, Q x)).
Proof. firstorder. Qed.
Lemma all_const : forall A (a : A) (P : A -> Prop) Q, (forall x, P x <-> Q) -> ((forall x, P x) <-> Q).
Proof. intros A a P Q h. split. intros k. now apply (h a), k. intros k x. now apply h. Qed.
Lemma ex_const : forall A (a : A) (P : A -> Prop) Q, (forall x, P x <-> Q) -> ((exists x, P x) <-> Q).
Proof. intros A a P Q h. split. intros [x k]. now apply (h x). intros k. exists a. now apply h. Qed.
Lemma not_le : forall a b, ~ a <= b -> b < a. Proof. intros. now apply Rnot_le_lt. Qed.
Lemma not_lt : forall a b, ~ a < b -> b <= a. Proof. intros. now apply Rnot_lt_le. Qed.
Lemma le_of_gap : forall a b, 0 <= b - a -> a <= b. Proof. intros. lra. Qed.
Lemma lt_of_gap : forall a b, 0 < b - a -> a < b. Proof. intros. lra. Qed.
Lemma gap_le : forall a b, a <= b -> 0 <= b - a. Proof. intros. lra. Qed.
Lemma gap_lt : forall a b, a < b -> 0 < b - a. Proof. intros. lra. Qed.
Lemma gap_eq : forall a b, a = b -> b - a = 0. Proof. intros. lra. Qed.
Lemma add_le : forall a b, 0 <= a -> 0 <= b -> 0 <= a + b. Proof. intros. lra. Qed.
Lemma pos_le : forall a b s q, 0 <= s -> q = 0 -> b - a = s + q -> a <= b. Proof. intros. lra. Qed.
Lemma pos_lt : forall a b s q, 0 < s -> q = 0 -> b - a = s + q -> a < b. Proof. intros. lra. Qed.
Lemma pos_eq : forall a b q, q = 0 -> b - a = q -> a = b. Proof. intros. lra. Qed.
Lemma pos_false : forall s q, 0 < s -> q = 0 -> 0 = s + q -> False. Proof. intros. lra. Qed.
Lemma mul_zero : forall a b, b = 0 -> a * b = 0. Proof. intros. subst. ring. Qed.
Lemma add_zero : forall a b, a = 0 -> b = 0 -> a + b = 0. Proof. intros. lra. Qed.
Lemma add_lt_le : forall a b, 0 < a -> 0 <= b -> 0 < a + b. Proof. intros. lra. Qed.
Lemma add_le_lt : forall a b, 0 <= a -> 0 < b -> 0 < a + b. Proof. intros. lra. Qed.

(* congruence: two formulas or terms that differ in some places; what they are is known from the goal (&) *)
Lemma le_both : forall a b c d, a = c -> b = d -> (a <= b <-> c <= d). Proof. intros. now subst. Qed.
Lemma lt_both : forall a b c d, a = c -> b = d -> (a < b <-> c < d). Proof. intros. now subst. Qed.
Lemma eq_both : forall a b c d : R, a = c -> b = d -> (a = b <-> c = d). Proof. intros. now subst. Qed.
Lemma and_both : forall P Q A B : Prop, (P <-> A) -> (Q <-> B) -> (P /\ Q <-> A /\ B). Proof. tauto. Qed.
Lemma or_both : forall P Q A B : Prop, (P <-> A) -> (Q <-> B) -> (P \/ Q <-> A \/ B). Proof. tauto. Qed.
Lemma imp_both : forall P Q A B : Prop, (P <-> A) -> (Q <-> B) -> ((P -> Q) <-> (A -> B)). Proof. tauto. Qed.
Lemma not_both : forall P A : Prop, (P <-> A) -> (~ P <-> ~ A). Proof. tauto. Qed.
Lemma all_both : forall S (P Q : S -> Prop), (forall x, P x <-> Q x) -> ((forall x, P x) <-> (forall x, Q x)).
Proof. firstorder. Qed.
Lemma ex_both : forall S (P Q : S -> Prop), (forall x, P x <-> Q x) -> ((exists x, P x) <-> (exists x, Q x)).
Proof. firstorder. Qed.
Lemma ind_both : forall P Q : Prop, (P <-> Q) -> ind P = ind Q. Proof. exact ind_ext. Qed.
Lemma ind_Z_both : forall P Q : Prop, (P <-> Q) -> ind_Z P = ind_Z Q.
Proof. intros P Q h. unfold ind_Z. destruct (excluded_middle_informative P), (excluded_middle_informative Q); tauto. Qed.
Lemma sum_both : forall a b c d f g, a = c -> b = d -> (forall m, f m = g m) -> sum a b f = sum c d g.
Proof. exact sum_ext. Qed.
Lemma prod_both : forall a b c d f g, a = c -> b = d -> (forall m, f m = g m) -> prod a b f = prod c d g.
Proof. exact prod_ext. Qed.
Lemma one_both : forall A B (f : A -> B) x y, x = y -> f x = f y. Proof. intros. now subst. Qed.
Lemma two_both : forall A B C (f : A -> B -> C) x y x' y', x = x' -> y = y' -> f x y = f x' y'.
Proof. intros. now subst. Qed.
Lemma three_both : forall A B C D (f : A -> B -> C -> D) x y z x' y' z', x = x' -> y = y' -> z = z' ->
  f x y z = f x' y' z'.
Proof. intros. now subst. Qed.
Lemma le_scaled : forall a b c d k, 0 < k -> d - c = k * (b - a) -> (a <= b <-> c <= d).
Proof. intros a b c d k h e. rewrite (le_gap c d k (b - a) h e). split; intros; lra. Qed.
Lemma lt_scaled : forall a b c d k, 0 < k -> d - c = k * (b - a) -> (a < b <-> c < d).
Proof. intros a b c d k h e. rewrite (lt_gap c d k (b - a) h e). split; intros; lra. Qed.
Lemma eq_scaled : forall a b c d k, k <> 0 -> d - c = k * (b - a) -> (a = b <-> c = d).
Proof. intros a b c d k h e. rewrite (eq_gap c d k (b - a) h e). split; intros; lra. Qed.
(* a fact in another form *)
Lemma through : forall A B : Prop, A -> (A <-> B) -> B. Proof. tauto. Qed.
Arguments le_both {a b c d} & p q.
Arguments lt_both {a b c d} & p q.
Arguments eq_both {a b c d} & p q.
Arguments and_both {P Q A B} & h k.
Arguments or_both {P Q A B} & h k.
Arguments imp_both {P Q A B} & h k.
Arguments not_both {P A} & h.
Arguments all_both {S P Q} & h.
Arguments ex_both {S P Q} & h.
Arguments ind_both {P Q} & h.
Arguments ind_Z_both {P Q} & h.
Arguments sum_both {a b c d f g} & p q h.
Arguments prod_both {a b c d f g} & p q h.
Arguments one_both {A B} f {x y} & p.
Arguments two_both {A B C} f {x y x' y'} & p q.
Arguments three_both {A B C D} f {x y z x' y' z'} & p q r.
Arguments le_scaled {a b c d} k & h e.
Arguments lt_scaled {a b c d} k & h e.
Arguments eq_scaled {a b c d} k & h e.
Arguments through {A B} a & h.

(* induction from a on, where s is the real number a *)
Lemma induction_at : forall (a : Z) (s : R) (P : Z -> Prop), IZR a = s -> P a ->
  (forall k, s <= IZR k -> P k -> P (k + 1)%Z) -> forall k, s <= IZR k -> P k.
Proof.
  intros a s P <- first next k g. apply le_IZR in g. revert k g. apply Zlt_lower_bound_ind. intros k ih g.
  destruct (Z.eq_dec k a) as [->|n]. exact first.
  replace k with (k - 1 + 1)%Z by ring. apply next. apply IZR_le. lia. apply ih. lia.
Qed.

(* inverses are total *)
Lemma inv_mul : forall a b c d, / a = c -> / b = d -> / (a * b) = c * d.
Proof. intros a b c d <- <-. apply Rinv_mult. Qed.
Lemma inv_pow : forall a c n, / a = c -> / (a ^ n) = c ^ n.
Proof. intros a c n <-. symmetry. apply pow_inv. Qed.
Lemma inv_exp : forall p q, - p = q -> / exp p = exp q.
Proof. intros p q <-. symmetry. apply exp_Ropp. Qed.
Lemma ind_Z_ext : forall P Q : Prop, (P <-> Q) -> ind_Z P = ind_Z Q.
Proof. intros P Q h. unfold ind_Z. destruct (excluded_middle_informative P), (excluded_middle_informative Q); tauto. Qed.
Lemma ind_Z_true : forall P : Prop, (P <-> True) -> ind_Z P = 1%Z.
Proof. intros P h. unfold ind_Z. destruct (excluded_middle_informative P); tauto. Qed.
Lemma ind_Z_false : forall P : Prop, (P <-> False) -> ind_Z P = 0%Z.
Proof. intros P h. unfold ind_Z. destruct (excluded_middle_informative P); tauto. Qed.

(* case distinctions, with the negation that the kernel writes *)
Lemma ind_le : forall a b, (a <= b /\ ind (a <= b) = 1) \/ (b < a /\ ind (a <= b) = 0).
Proof. intros a b. destruct (ind_cases (a <= b)) as [h|[h e]]; [left | right; split]; auto using not_le. Qed.
Lemma ind_lt : forall a b, (a < b /\ ind (a < b) = 1) \/ (b <= a /\ ind (a < b) = 0).
Proof. intros a b. destruct (ind_cases (a < b)) as [h|[h e]]; [left | right; split]; auto using not_lt. Qed.
Lemma ind_not : forall P : Prop, (~ P /\ ind (~ P) = 1) \/ (P /\ ind (~ P) = 0).
Proof. intros P. destruct (ind_cases (~ P)) as [h|[h e]]; [left | right; split]; auto. now apply NNPP. Qed.
Lemma not_or : forall P : Prop, ~ P \/ P.
Proof. intros P. destruct (classic P); auto. Qed.

(* Tactics of the closed lemmas: exp p as powers of exponentials, and y in place of 1/x from h : x * y = 1 *)
Ltac exp_powers := rewrite <- ?exp_lin, <- ?exp_plus; f_equal; cbn [INR]; field.
Ltac inverse_of x y h :=
  let n := fresh in let z := fresh in
  assert (n : x <> 0) by (intro z; rewrite z, Rmult_0_l in h; lra);
  assert (y = / x) as -> by (apply Rmult_eq_reg_l with x; [rewrite h; field; assumption | assumption]).

(* Numerals that files are full of: Coq reads a name faster than a number. *)
Notation _0 := (IZR 0%Z) (only parsing).
Notation _1 := (IZR 1%Z) (only parsing).
Notation _2 := (IZR 2%Z) (only parsing).
Notation _3 := (IZR 3%Z) (only parsing).
Notation _4 := (IZR 4%Z) (only parsing).
Notation _5 := (IZR 5%Z) (only parsing).
Notation _6 := (IZR 6%Z) (only parsing).
Notation _7 := (IZR 7%Z) (only parsing).
Notation _8 := (IZR 8%Z) (only parsing).
Notation _9 := (IZR 9%Z) (only parsing).
Notation _10 := (IZR 10%Z) (only parsing).
Notation _11 := (IZR 11%Z) (only parsing).
Notation _12 := (IZR 12%Z) (only parsing).
Notation _13 := (IZR 13%Z) (only parsing).
Notation _14 := (IZR 14%Z) (only parsing).
Notation _15 := (IZR 15%Z) (only parsing).
Notation _16 := (IZR 16%Z) (only parsing).
