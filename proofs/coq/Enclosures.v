(* Enclosures by computation, for the step `interval`: a comparison holds on each part of a box, by coq-interval's
   operations on intervals and the alternating series of erf. One boolean is computed for a whole tree of cases. *)
From Coq Require Import Reals ZArith Lia Lra List Bool.
From Interval.Real Require Import Xreal.
From Interval.Float Require Import Basic Specific_bigint Specific_ops.
From Interval.Interval Require Import Interval Float_full.
From Symcook Require Import Meaning Laws Taylor Erf.
Import ListNotations.
Open Scope R_scope.

Module Boxes.
Module F := SpecificFloat BigIntRadix2.
Module I := FloatIntervalFull F.

Definition within (i : I.type) (x : R) : Prop := contains (I.convert i) (Xreal x).
Lemma between : forall i x y z, within i x -> within i y -> x <= z <= y -> within i z.
Proof. intros i x y z p q r. exact (contains_connected (I.convert i) x y p q z r). Qed.
Lemma join_left : forall i j x, within i x -> within (I.join i j) x.
Proof. intros. apply I.join_correct. now left. Qed.
Lemma join_right : forall i j x, within j x -> within (I.join i j) x.
Proof. intros. apply I.join_correct. now right. Qed.
Lemma anything : forall i x, contains (I.convert i) Xnan -> within i x.
Proof. intros i x h. unfold within. now destruct (I.convert i). Qed.

Section Evaluation.
Variable prec : F.precision.

Definition number (z : Z) : I.type := I.fromZ prec z.
Lemma within_number : forall z, within (number z) (IZR z).
Proof. intros. apply I.fromZ_correct. Qed.
Lemma within_neg : forall i x, within i x -> within (I.neg i) (- x).
Proof. intros i x h. exact (I.neg_correct i (Xreal x) h). Qed.
Lemma within_add : forall i j x y, within i x -> within j y -> within (I.add prec i j) (x + y).
Proof. intros i j x y h g. exact (I.add_correct prec i j (Xreal x) (Xreal y) h g). Qed.
Lemma within_sub : forall i j x y, within i x -> within j y -> within (I.sub prec i j) (x - y).
Proof. intros i j x y h g. exact (I.sub_correct prec i j (Xreal x) (Xreal y) h g). Qed.
Lemma within_mul : forall i j x y, within i x -> within j y -> within (I.mul prec i j) (x * y).
Proof. intros i j x y h g. exact (I.mul_correct prec i j (Xreal x) (Xreal y) h g). Qed.
Lemma within_div : forall i j x y, within i x -> within j y -> within (I.div prec i j) (x / y).
Proof.
  intros i j x y h g. assert (p := I.div_correct prec i j (Xreal x) (Xreal y) h g). simpl in p. unfold Xdiv' in p.
  destruct (is_zero y); [now apply anything | exact p].
Qed.
Lemma within_inv : forall i x, within i x -> within (I.inv prec i) (/ x).
Proof.
  intros i x h. assert (p := I.inv_correct prec i (Xreal x) h). simpl in p. unfold Xinv' in p.
  destruct (is_zero x); [now apply anything | exact p].
Qed.
Lemma within_sqrt : forall i x, within i x -> within (I.sqrt prec i) (sqrt x).
Proof. intros i x h. exact (I.sqrt_correct prec i (Xreal x) h). Qed.
Lemma within_exp : forall i x, within i x -> within (I.exp prec i) (exp x).
Proof. intros i x h. exact (I.exp_correct prec i (Xreal x) h). Qed.
Lemma within_ln : forall i x, within i x -> within (I.ln prec i) (ln x).
Proof.
  intros i x h. assert (p := I.ln_correct prec i (Xreal x) h). simpl in p. unfold Xln' in p.
  destruct (is_positive x); [exact p | now apply anything].
Qed.
Lemma within_abs : forall i x, within i x -> within (I.abs i) (Rabs x).
Proof. intros i x h. exact (I.abs_correct i (Xreal x) h). Qed.
(* the lesser of two numbers is at most each, and it is one of them *)
Definition lesser (i j : I.type) : I.type := I.meet (I.join i j) (I.meet (I.lower_extent i) (I.lower_extent j)).
Lemma within_min : forall i j x y, within i x -> within j y -> within (lesser i j) (Rmin x y).
Proof.
  intros i j x y h g. apply I.meet_correct.
  - unfold Rmin. destruct (Rle_dec x y); [now apply join_left | now apply join_right].
  - apply I.meet_correct; [apply I.lower_extent_correct with x | apply I.lower_extent_correct with y]; try assumption.
    apply Rmin_l. apply Rmin_r.
Qed.
Lemma within_max : forall i j x y, within i x -> within j y -> within (I.neg (lesser (I.neg i) (I.neg j))) (Rmax x y).
Proof.
  intros i j x y h g. replace (Rmax x y) with (- Rmin (- x) (- y)).
  - apply within_neg, within_min; now apply within_neg.
  - rewrite <- Ropp_Rmax. ring.
Qed.
Definition positive_part (i : I.type) : I.type := I.neg (lesser (I.neg (number 0)) (I.neg i)).
Lemma within_relu : forall i x, within i x -> within (positive_part i) (relu x).
Proof. intros i x h. apply within_max; [apply within_number | exact h]. Qed.
Lemma within_pi : within (I.pi prec) PI.
Proof. apply I.pi_correct. Qed.
Definition powered (i : I.type) (n : nat) : I.type := I.power_int prec i (Z.of_nat n).
Lemma within_power : forall i x n, within i x -> within (powered i n) (x ^ n).
Proof.
  intros i x n h. assert (p := I.power_int_correct prec (Z.of_nat n) i (Xreal x) h).
  destruct n as [|n]; [exact p|]. unfold powered. simpl in p |- *. now rewrite SuccNat2Pos.id_succ in p.
Qed.

(* --- erf --------------------------------------------------------------------------------------------------------- *)
Definition part (n : nat) (x : R) : R := sum_of n 0 (series_term x).
Definition monomial (n : nat) (x : R) : R := x ^ (2 * n + 1) / INR (fact n).
Lemma monomial_0 : forall x, monomial 0 x = x.
Proof. intros. unfold monomial. simpl. field. Qed.
Lemma monomial_next : forall n x, monomial (S n) x = monomial n x * x ^ 2 / IZR (Z.of_nat n + 1).
Proof.
  intros. unfold monomial. replace (2 * S n + 1)%nat with (2 * n + 1 + 2)%nat by lia.
  rewrite pow_add, fact_simpl, mult_INR, S_INR, plus_IZR, <- INR_IZR_INZ.
  pose proof (INR_fact_neq_0 n). pose proof (pos_INR n). field. split; [assumption | lra].
Qed.
Lemma part_next : forall n x, part (S n) x = part n x + (-1) ^ n * (monomial n x / IZR (2 * Z.of_nat n + 1)).
Proof.
  intros. unfold part. cbn [sum_of]. f_equal. rewrite Z.add_0_l. unfold series_term, monomial.
  rewrite (power_nat (IZR (-1)) n), (power_nat x (2 * n + 1)), prod_fact by lia.
  rewrite plus_IZR, mult_IZR, <- INR_IZR_INZ.
  pose proof (INR_fact_neq_0 n). pose proof (pos_INR n). field. split; [assumption | lra].
Qed.
Lemma even_sign : forall k, (-1) ^ (2 * k) = 1.
Proof. intros. rewrite pow_mult. replace ((-1) ^ 2) with 1 by (simpl; ring). apply pow1. Qed.
Lemma area_low : forall k x, 0 <= x -> part (2 * k) x <= area x.
Proof.
  intros [|k] x h. { change (0 <= area x). rewrite <- area_0. now apply area_le. }
  assert (p := ax_erf_lower x (Z.of_nat k) (IZR_le 0 _ (Zle_0_nat k)) h). rewrite erf_area in p.
  apply Rmult_le_reg_l in p; [|apply factor_positive]. unfold sum in p.
  now replace (Z.to_nat (2 * Z.of_nat k + 1 - 0 + 1)) with (2 * S k)%nat in p by lia.
Qed.
Lemma area_high : forall k x, 0 <= x -> area x <= part (2 * k + 1) x.
Proof.
  intros k x h. assert (p := ax_erf_upper x (Z.of_nat k) (IZR_le 0 _ (Zle_0_nat k)) h). rewrite erf_area in p.
  apply Rmult_le_reg_l in p; [|apply factor_positive]. unfold sum in p.
  now replace (Z.to_nat (2 * Z.of_nat k - 0 + 1)) with (2 * k + 1)%nat in p by lia.
Qed.

Variable small : I.type. (* where the series ends *)
(* from the monomial m, which is even: x2 has x^2, term the monomial, sum the part before it *)
Fixpoint series (fuel : nat) (m : Z) (x2 term sum : I.type) : I.type :=
  let above := I.add prec sum (I.div prec term (number (2 * m + 1))) in
  match fuel with
  | O => I.join sum above
  | S fuel =>
      let next := I.div prec (I.mul prec term x2) (number (m + 1)) in
      let below := I.sub prec above (I.div prec next (number (2 * (m + 1) + 1))) in
      if I.subset next small then I.join below above
      else series fuel (m + 2) x2 (I.div prec (I.mul prec next x2) (number (m + 2))) below
  end.
Lemma within_series : forall fuel k x x2 term sum, 0 <= x -> within x2 (x ^ 2) -> within term (monomial (2 * k) x) ->
  within sum (part (2 * k) x) -> within (series fuel (Z.of_nat (2 * k)) x2 term sum) (area x).
Proof.
  induction fuel as [|fuel ih]; intros k x x2 term sum h hx ht hs; cbn [series];
    set (m := Z.of_nat (2 * k));
    assert (up : within (I.add prec sum (I.div prec term (number (2 * m + 1)))) (part (2 * k + 1) x))
      by (rewrite Nat.add_1_r, part_next, even_sign, Rmult_1_l; apply within_add; [assumption|];
          apply within_div; [assumption | apply within_number]).
  - apply between with (part (2 * k) x) (part (2 * k + 1) x); [now apply join_left | now apply join_right|].
    split; [now apply area_low | now apply area_high].
  - set (above := I.add prec sum _) in *. set (next := I.div prec (I.mul prec term x2) _).
    assert (hn : within next (monomial (2 * k + 1) x)).
    { rewrite Nat.add_1_r, monomial_next. apply within_div; [now apply within_mul | apply within_number]. }
    assert (down : within (I.sub prec above (I.div prec next (number (2 * (m + 1) + 1)))) (part (2 * S k) x)).
    { replace (2 * S k)%nat with (S (2 * k + 1)) by lia. rewrite part_next, pow_add, even_sign.
      replace (_ + _) with (part (2 * k + 1) x - monomial (2 * k + 1) x / IZR (2 * (m + 1) + 1))
        by (replace (Z.of_nat (2 * k + 1)) with (m + 1)%Z by lia; unfold Rdiv; ring).
      apply within_sub; [assumption|]. apply within_div; [assumption | apply within_number]. }
    set (below := I.sub prec above _) in *. destruct (I.subset next small).
    + apply between with (part (2 * S k) x) (part (2 * k + 1) x); [now apply join_left | now apply join_right|].
      split; [now apply area_low | now apply area_high].
    + replace (m + 2)%Z with (Z.of_nat (2 * S k)) by lia. apply ih; try assumption.
      replace (2 * S k)%nat with (S (2 * k + 1)) by lia. rewrite monomial_next.
      apply within_div; [now apply within_mul|].
      replace (Z.of_nat (S (2 * k + 1))) with (Z.of_nat (2 * k + 1) + 1)%Z by lia. apply within_number.
Qed.

Variable pi : I.type.
Hypothesis pi_good : within pi PI.
Variable factor : I.type.
Hypothesis factor_good : within factor (2 / sqrt PI).
(* erf at a number that is not negative; beyond 5, between 1 - exp(-x^2) and 1 *)
Definition erf_up (x : I.type) : I.type :=
  match I.sign_strict (I.sub prec x (number 5)) with
  | Xgt => I.join (I.sub prec (number 1) (I.exp prec (I.neg (powered x 2)))) (number 1)
  | _ => I.mul prec factor (series 60 0 (powered x 2) x (number 0))
  end.
Lemma within_erf_up : forall i x, within i x -> 0 <= x -> within (erf_up i) (erf x).
Proof.
  intros i x h p. unfold erf_up.
  assert (g : within (I.mul prec factor (series 60 0 (powered i 2) i (number 0))) (erf x)).
  { rewrite erf_area. apply within_mul; [exact factor_good|]. apply (within_series 60 0); [exact p| | |].
    - now apply within_power.
    - now rewrite monomial_0.
    - apply within_number. }
  destruct (I.sign_strict (I.sub prec i (number 5))); try exact g.
  apply between with (1 - exp (- x ^ 2)) 1.
  - apply join_left, within_sub; [apply within_number|]. now apply within_exp, within_neg, within_power.
  - apply join_right, within_number.
  - pose proof (ax_erf_tail x p). destruct (ax_erf_range x p). lra.
Qed.
Definition erf_at (i : I.type) : I.type :=
  match I.sign_large i with
  | Xgt | Xeq => erf_up i
  | Xlt => I.neg (erf_up (I.neg i))
  | Xund => I.whole
  end.
Lemma within_erf_at : forall i x, within i x -> within (erf_at i) (erf x).
Proof.
  intros i x h. unfold erf_at. assert (s := I.sign_large_correct i). destruct (I.sign_large i).
  - specialize (s _ h). injection s as ->. apply within_erf_up; [assumption | lra].
  - destruct (s _ h) as [_ p]. simpl in p. replace (erf x) with (- erf (- x)) by (rewrite ax_erf_odd; ring).
    apply within_neg, within_erf_up; [now apply within_neg | lra].
  - destruct (s _ h) as [_ p]. now apply within_erf_up.
  - apply I.whole_correct.
Qed.
(* erf increases *)
Definition erf_over (i : I.type) : I.type :=
  if I.bounded i then
    I.join (erf_at (I.bnd (I.lower i) (I.lower i))) (erf_at (I.bnd (I.upper i) (I.upper i)))
  else I.whole.
Lemma within_erf_over : forall i x, within i x -> within (erf_over i) (erf x).
Proof.
  intros i x h. unfold erf_over. destruct (I.bounded i) eqn:b; [|apply I.whole_correct].
  destruct (I.bounded_correct i b) as [bl bu].
  destruct (I.lower_bounded_correct i bl) as [el p]. destruct (I.upper_bounded_correct i bu) as [eu _].
  assert (ne : not_empty (I.convert i)) by (exists x; exact h).
  unfold within in h. rewrite (p ne) in h. rewrite el, eu in h. simpl in h.
  assert (at_lower : within (I.bnd (I.lower i) (I.lower i)) (proj_val (I.F.toX (I.lower i)))).
  { unfold within. rewrite I.bnd_correct by reflexivity. rewrite el. simpl. lra. }
  assert (at_upper : within (I.bnd (I.upper i) (I.upper i)) (proj_val (I.F.toX (I.upper i)))).
  { unfold within. rewrite I.bnd_correct by reflexivity. rewrite eu. simpl. lra. }
  apply between with (erf (proj_val (I.F.toX (I.lower i)))) (erf (proj_val (I.F.toX (I.upper i)))).
  - now apply join_left, within_erf_at.
  - now apply join_right, within_erf_at.
  - split; apply erf_mono; apply h.
Qed.

(* --- Terms --------------------------------------------------------------------------------------------------------- *)
Inductive term :=
  | Var (k : nat) | Num (z : Z) | Pi | Neg (a : term) | Add (a b : term) | Sub (a b : term) | Mul (a b : term)
  | Div (a b : term) | Inv (a : term) | Pow (a : term) (n : nat) | Sqrt (a : term) | Exp (a : term) | Ln (a : term)
  | Abs (a : term) | Relu (a : term) | Min (a b : term) | Max (a b : term) | Erf (a : term)
  | Let (a b : term). (* b, where Var 0 has the value of a, and Var (k + 1) is what Var k is outside *)
Fixpoint value (v : list R) (t : term) : R :=
  match t with
  | Var k => nth k v 0
  | Num z => IZR z
  | Pi => PI
  | Neg a => - value v a
  | Add a b => value v a + value v b
  | Sub a b => value v a - value v b
  | Mul a b => value v a * value v b
  | Div a b => value v a / value v b
  | Inv a => / value v a
  | Pow a n => value v a ^ n
  | Sqrt a => sqrt (value v a)
  | Exp a => exp (value v a)
  | Ln a => ln (value v a)
  | Abs a => Rabs (value v a)
  | Relu a => relu (value v a)
  | Min a b => Rmin (value v a) (value v b)
  | Max a b => Rmax (value v a) (value v b)
  | Erf a => erf (value v a)
  | Let a b => value (value v a :: v) b
  end.
Fixpoint enclosed (box : list I.type) (t : term) : I.type :=
  match t with
  | Var k => nth k box I.whole
  | Num z => number z
  | Pi => pi
  | Neg a => I.neg (enclosed box a)
  | Add a b => I.add prec (enclosed box a) (enclosed box b)
  | Sub a b => I.sub prec (enclosed box a) (enclosed box b)
  | Mul a b => I.mul prec (enclosed box a) (enclosed box b)
  | Div a b => I.div prec (enclosed box a) (enclosed box b)
  | Inv a => I.inv prec (enclosed box a)
  | Pow a n => powered (enclosed box a) n
  | Sqrt a => I.sqrt prec (enclosed box a)
  | Exp a => I.exp prec (enclosed box a)
  | Ln a => I.ln prec (enclosed box a)
  | Abs a => I.abs (enclosed box a)
  | Relu a => positive_part (enclosed box a)
  | Min a b => lesser (enclosed box a) (enclosed box b)
  | Max a b => I.neg (lesser (I.neg (enclosed box a)) (I.neg (enclosed box b)))
  | Erf a => erf_over (enclosed box a)
  | Let a b => enclosed (enclosed box a :: box) b
  end.
Definition inside (box : list I.type) (v : list R) : Prop := forall k, within (nth k box I.whole) (nth k v 0).
Lemma within_enclosed : forall t box v, inside box v -> within (enclosed box t) (value v t).
Proof.
  induction t; intros box v h; cbn [enclosed value];
    try (assert (g := IHt1 box v h)); try (assert (g := IHt box v h));
    auto using within_number, within_neg, within_add, within_sub, within_mul, within_div, within_power, within_sqrt,
      within_exp, within_ln, within_abs, within_inv, within_relu, within_min, within_max, within_erf_over.
  apply IHt2. intros [|k]; [exact g | exact (h k)].
Qed.

(* --- Cases ----------------------------------------------------------------------------------------------------------- *)
Fixpoint narrowed (k : nat) (j : I.type) (box : list I.type) : list I.type :=
  match box, k with
  | i :: box, O => I.meet i j :: box
  | i :: box, S k => i :: narrowed k j box
  | nil, _ => nil
  end.
Lemma inside_narrowed : forall k j box v, inside box v -> within j (nth k v 0) -> inside (narrowed k j box) v.
Proof.
  induction k as [|k ih]; intros j [|i box] v h g; try exact h.
  - intros [|l]; [apply I.meet_correct; [exact (h O) | exact g] | exact (h (S l))].
  - destruct v as [|x v].
    + assert (q : inside (narrowed k j box) nil)
        by (apply ih; [intros n; specialize (h (S n)); now destruct n | now destruct k]).
      intros [|l]; [exact (h O)|]. specialize (q l). now destruct l.
    + intros [|l]; [exact (h O)|]. exact (ih j box v (fun n => h (S n)) g l).
Qed.
Definition below (c : term) : I.type := I.lower_extent (enclosed nil c).
Definition above (c : term) : I.type := I.upper_extent (enclosed nil c).
Lemma inside_nil : inside nil nil.
Proof. intros k. destruct k; apply I.whole_correct. Qed.
Lemma within_below : forall c x, x <= value nil c -> within (below c) x.
Proof. intros. apply I.lower_extent_correct with (value nil c); [now apply within_enclosed, inside_nil | assumption]. Qed.
Lemma within_above : forall c x, value nil c <= x -> within (above c) x.
Proof. intros. apply I.upper_extent_correct with (value nil c); [now apply within_enclosed, inside_nil | assumption]. Qed.

(* the cases v_k <= c, and c < v_k *)
Inductive cases := Leaf | Split (k : nat) (c : term) (low high : cases).
Definition settled (strict : bool) (t : term) (box : list I.type) : bool :=
  match I.sign_strict (enclosed box t), I.sign_large (enclosed box t) with
  | Xgt, _ => true
  | _, (Xgt | Xeq) => negb strict
  | _, _ => false
  end.
Definition at_least (strict : bool) (x : R) : Prop := if strict then 0 < x else 0 <= x.
Lemma settled_sound : forall strict t box v, inside box v -> settled strict t box = true ->
  at_least strict (value v t).
Proof.
  intros strict t box v h d. unfold settled in d. assert (w := within_enclosed t box v h).
  assert (p := I.sign_strict_correct (enclosed box t)). assert (q := I.sign_large_correct (enclosed box t)).
  assert (e : at_least true (value v t) -> at_least strict (value v t)) by (destruct strict; simpl; lra).
  destruct (I.sign_strict (enclosed box t));
    try (destruct (I.sign_large (enclosed box t)); try discriminate d; destruct strict; try discriminate d;
         specialize (q _ w); simpl in *; first [injection q; lra | apply q]);
    apply e, (p _ w).
Qed.
(* what is known of the variables: v_k <= c (true), or c <= v_k *)
Fixpoint known (v : list R) (bounds : list (bool * nat * term)) : Prop :=
  match bounds with
  | (up, k, c) :: rest => (if up then nth k v 0 <= value nil c else value nil c <= nth k v 0) /\ known v rest
  | nil => True
  end.
Fixpoint box_of (bounds : list (bool * nat * term)) (box : list I.type) : list I.type :=
  match bounds with
  | (up, k, c) :: rest => narrowed k (if up then below c else above c) (box_of rest box)
  | nil => box
  end.
Lemma inside_box : forall v bounds box, inside box v -> known v bounds -> inside (box_of bounds box) v.
Proof.
  induction bounds as [|[[up k] c] rest ih]; intros box h g; [exact h|]. destruct g as [p g]. cbn [box_of].
  apply inside_narrowed; [now apply ih|]. destruct up; [now apply within_below | now apply within_above].
Qed.
End Evaluation.

(* what depends on the number p of binary digits *)
Definition small (p : positive) : I.type :=
  I.lower_extent (I.power_int (F.PtoP p) (I.fromZ (F.PtoP p) 2) (- (5 * Zpos p / 8))).
Definition factor (p : positive) (pi : I.type) : I.type :=
  I.div (F.PtoP p) (I.fromZ (F.PtoP p) 2) (I.sqrt (F.PtoP p) pi).
Lemma factor_good : forall p, within (factor p (I.pi (F.PtoP p))) (2 / sqrt PI).
Proof. intros. apply within_div; [apply I.fromZ_correct | apply within_sqrt, within_pi]. Qed.

(* each of the cases, with few digits, or else with p *)
Definition FEW : positive := 32.
Section Cases.
Variable p : positive.
Variables strict : bool.
Variable t : term.
Variables pi few_pi factor few_factor small few_small : I.type.
Fixpoint decided (some : cases) (box : list I.type) : bool :=
  match some with
  | Leaf =>
      settled (F.PtoP FEW) few_small few_pi few_factor strict t box ||
      settled (F.PtoP p) small pi factor strict t box
  | Split k c low high =>
      decided low (narrowed k (below (F.PtoP p) small pi factor c) box) &&
      decided high (narrowed k (above (F.PtoP p) small pi factor c) box)
  end.
Hypothesis pi_good : within pi PI.
Hypothesis few_pi_good : within few_pi PI.
Hypothesis good : within factor (2 / sqrt PI).
Hypothesis few_good : within few_factor (2 / sqrt PI).
Lemma decided_sound : forall some box v, inside box v -> decided some box = true -> at_least strict (value v t).
Proof.
  induction some as [|k c low il high ih]; intros box v h d; cbn [decided] in d.
  - apply orb_prop in d. destruct d as [d|d].
    + exact (settled_sound _ _ _ few_pi_good _ few_good strict t box v h d).
    + exact (settled_sound _ _ _ pi_good _ good strict t box v h d).
  - apply andb_prop in d. destruct d as [dl dh]. destruct (Rle_or_lt (nth k v 0) (value nil c)) as [r|r].
    + apply il with (2 := dl). apply inside_narrowed; [exact h|]. now apply within_below.
    + apply ih with (2 := dh). apply inside_narrowed; [exact h|]. now apply within_above, Rlt_le.
Qed.
End Cases.

(* with n variables *)
Definition computed (p : positive) (strict : bool) (n : nat) (bounds : list (bool * nat * term)) (t : term) (some : cases)
  : bool :=
  let pi := I.pi (F.PtoP p) in
  let few_pi := I.pi (F.PtoP FEW) in
  let first := box_of (F.PtoP p) (small p) pi (factor p pi) bounds (repeat I.whole n) in
  decided p strict t pi few_pi (factor p pi) (factor FEW few_pi) (small p) (small FEW) some first.
Lemma inside_whole : forall n v, inside (repeat I.whole n) v.
Proof.
  intros n v k. assert (e : nth k (repeat I.whole n) I.whole = I.whole).
  { revert k. induction n as [|n ih]; intros [|k]; try reflexivity. apply ih. }
  exact (eq_ind_r (fun i : I.type => within i (nth k v 0)) (I.whole_correct _) e).
Qed.
Theorem boxed : forall p strict n v bounds t some, known v bounds -> computed p strict n bounds t some = true ->
  at_least strict (value v t).
Proof.
  intros p strict n v bounds t some h c.
  refine (decided_sound p strict t _ _ _ _ _ _ (within_pi _) (within_pi _) (factor_good p) (factor_good FEW) some _ v _ c).
  exact (inside_box _ _ _ (within_pi _) _ (factor_good p) _ _ _ (inside_whole n v) h).
Qed.
Strategy expand [value nth at_least known].
End Boxes.

(* the kernel's axiom pi *)
Lemma ax_pi : IZR 3141592653589793 / IZR 1000000000000000 < PI /\ PI < IZR 1570796326794897 / IZR 500000000000000.
Proof.
  split; apply lt_of_gap.
  - refine (Boxes.boxed 100 true 0 [] [] (Boxes.Sub Boxes.Pi (Boxes.Div (Boxes.Num _) (Boxes.Num _))) Boxes.Leaf I _).
    vm_cast_no_check (eq_refl true).
  - refine (Boxes.boxed 100 true 0 [] [] (Boxes.Sub (Boxes.Div (Boxes.Num _) (Boxes.Num _)) Boxes.Pi) Boxes.Leaf I _).
    vm_cast_no_check (eq_refl true).
Qed.
