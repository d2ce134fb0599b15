(* Higham's rule, and machines that round. A term is a tree of operations; a machine computes it with some rounding at
   each operation, in any order of its sums, fused or not. What it computes is within ((1 / (1 - u)) ^ count - 1) * size
   of the exact value (`higham`). Then a forward pass of such a machine satisfies the inequalities that
   `run(rounded-NAME; u)` states. No statement, certificate or record uses this file. *)
From Coq Require Import Reals ZArith Lia Lra List Permutation.
From Coquelicot Require Import Rcomplements.
From Symcook Require Import Meaning Laws.
Import ListNotations.
Open Scope R_scope.

(* --- Definitions: to be read -------------------------------------------------------------------------------------- *)
Section Machine.
Variable u : R. (* the largest relative error of an operation *)

(* a product of c roundings *)
Definition factor (c : nat) (r : R) : Prop := (1 - u) ^ c <= r <= (/ (1 - u)) ^ c.
(* x is T after c roundings, after one rounding *)
Definition within (c : nat) (T x : R) : Prop := exists r, factor c r /\ x = T * r.
Definition rounds : R -> R -> Prop := within 1.

Inductive tree :=
  | Held (x : R) (* a number that the machine has *)
  | Stored (x : R) (* a number that is rounded once: a weight, or the sum of two numbers that the machine has *)
  | Value (c : nat) (x : R) (* a value of a function, which is computed with c roundings *)
  | Scaled (w : R) (a : tree) (* a product with zero, one or a power of two: exact *)
  | Plus (a b : tree)
  | Times (a b : tree)
  | Over (a b : tree)
  | Root (a : tree).

Fixpoint exact (t : tree) : R :=
  match t with
  | Held x | Stored x | Value _ x => x
  | Scaled w a => w * exact a
  | Plus a b => exact a + exact b
  | Times a b => exact a * exact b
  | Over a b => exact a / exact b
  | Root a => sqrt (exact a)
  end.
(* the same with every number replaced by its absolute value *)
Fixpoint size (t : tree) : R :=
  match t with
  | Held x | Stored x | Value _ x => Rabs x
  | Scaled w a => Rabs w * size a
  | Plus a b => size a + size b
  | Times a b => size a * size b
  | Over a b => size a / size b
  | Root a => sqrt (size a)
  end.
Fixpoint count (t : tree) : nat :=
  match t with
  | Held _ => 0
  | Stored _ => 1
  | Value c _ => c
  | Scaled _ a => count a
  | Plus a b => S (Nat.max (count a) (count b))
  | Times a b | Over a b => S (count a + count b)
  | Root a => S (count a)
  end.
(* divisors are positive and what a root is taken of is not negative, and no negative number is in them *)
Fixpoint sound (t : tree) : Prop :=
  match t with
  | Held _ | Stored _ | Value _ _ => True
  | Scaled _ a => sound a
  | Plus a b | Times a b => sound a /\ sound b
  | Over a b => sound a /\ sound b /\ exact b = size b /\ 0 < size b
  | Root a => sound a /\ exact a = size a
  end.
(* what a machine may compute; as 1 is a rounding, an operation may also be exact, as a product that is fused is *)
Inductive computes : tree -> R -> Prop :=
  | held x : computes (Held x) x
  | stored x y : rounds x y -> computes (Stored x) y
  | value c x y : within c x y -> computes (Value c x) y
  | scaled w a x : computes a x -> computes (Scaled w a) (w * x)
  | plus a b x y z : computes a x -> computes b y -> rounds (x + y) z -> computes (Plus a b) z
  | times a b x y z : computes a x -> computes b y -> rounds (x * y) z -> computes (Times a b) z
  | over a b x y z : computes a x -> computes b y -> rounds (x / y) z -> computes (Over a b) z
  | root a x z : computes a x -> rounds (sqrt x) z -> computes (Root a) z.

(* t adds the terms of a list, in some order and with some brackets *)
Inductive brackets : list tree -> tree -> Prop :=
  | single t : brackets [t] t
  | joined l a k b m : brackets l a -> brackets k b -> Permutation m (l ++ k) -> brackets m (Plus a b).
Definition added (l : list tree) (x : R) : Prop := exists t, brackets l t /\ computes t x.

(* t after c roundings of numbers of a size *)
Definition near (c : nat) (T S x : R) : Prop := Rabs (x - T) <= ((/ (1 - u)) ^ c - 1) * S.

Fixpoint total {A} (f : A -> R) (l : list A) : R := match l with nil => 0 | a :: l => f a + total f l end.

(* --- Sums, in any order and with any brackets --------------------------------------------------------------------- *)
Lemma total_app {A} : forall (f : A -> R) l k, total f (l ++ k) = total f l + total f k.
Proof. induction l; simpl; intros; [ring | rewrite IHl; ring]. Qed.
Lemma total_permuted {A} : forall (f : A -> R) l k, Permutation l k -> total f l = total f k.
Proof. induction 1; simpl; lra. Qed.
Lemma brackets_sum : forall l t, brackets l t -> exact t = total exact l /\ size t = total size l.
Proof.
  induction 1 as [t | l a k b m _ [e1 s1] _ [e2 s2] p]; simpl.
  - split; ring.
  - rewrite !(total_permuted _ _ _ p), !total_app. split; lra.
Qed.
Lemma brackets_length : forall l t, brackets l t -> (1 <= length l)%nat.
Proof.
  induction 1 as [| l a k b m _ h1 _ h2 p]; simpl; [lia |]. rewrite (Permutation_length p), app_length. lia.
Qed.
Lemma brackets_count : forall l t c, brackets l t -> Forall (fun a => count a <= c)%nat l ->
  (count t <= c + (length l - 1))%nat.
Proof.
  induction 1 as [| l a k b m h1 i1 h2 i2 p]; intros f; simpl.
  - inversion f; subst. lia.
  - rewrite (Permutation_length p), app_length. apply brackets_length in h1, h2.
    apply (Permutation_Forall p), Forall_app in f. destruct f as [f1 f2]. specialize (i1 f1). specialize (i2 f2). lia.
Qed.
Lemma brackets_sound : forall l t, brackets l t -> Forall sound l -> sound t.
Proof.
  induction 1 as [| l a k b m h1 i1 h2 i2 p]; intros f; simpl.
  - now inversion f.
  - apply (Permutation_Forall p), Forall_app in f. tauto.
Qed.

(* --- Higham's rule ------------------------------------------------------------------------------------------------ *)
Hypothesis unit_range : 0 <= u < 1.

Lemma small_pos : forall c, 0 < (1 - u) ^ c.
Proof. intros. apply pow_lt. lra. Qed.
Lemma inverse : forall c, (/ (1 - u)) ^ c = / (1 - u) ^ c.
Proof. intros. apply pow_inv. Qed.
Lemma small_le : forall c, (1 - u) ^ c <= 1.
Proof. intros. apply Rle_trans with (1 ^ c); [apply pow_incr; lra | rewrite pow1; lra]. Qed.
Lemma grown : 1 <= / (1 - u).
Proof. rewrite <- Rinv_1 at 1. apply Rinv_le_contravar; lra. Qed.
Lemma large_ge : forall c, 1 <= (/ (1 - u)) ^ c.
Proof. intros. apply pow_R1_Rle, grown. Qed.
Lemma large_mono : forall c d, (c <= d)%nat -> (/ (1 - u)) ^ c <= (/ (1 - u)) ^ d.
Proof. intros. apply Rle_pow; [apply grown | assumption]. Qed.
Lemma small_mono : forall c d, (c <= d)%nat -> (1 - u) ^ d <= (1 - u) ^ c.
Proof.
  intros c d h. replace d with (c + (d - c))%nat by lia. rewrite pow_add.
  assert (low := small_pos c). assert (high := small_le (d - c)). nra.
Qed.
Lemma below_above : forall c, 1 - (1 - u) ^ c <= (/ (1 - u)) ^ c - 1.
Proof.
  intros. rewrite inverse. set (a := (1 - u) ^ c). assert (0 < a) by apply small_pos.
  assert (0 <= (a - 1) ^ 2 / a). { apply Rdiv_le_0_compat; [apply pow2_ge_0 | assumption]. }
  replace ((a - 1) ^ 2 / a) with (a - 2 + / a) in * by (field; lra). lra.
Qed.

Lemma factor_one : forall c, factor c 1.
Proof. split; [apply small_le | apply large_ge]. Qed.
Lemma factor_mono : forall c d r, (c <= d)%nat -> factor c r -> factor d r.
Proof. intros c d r h [a b]. assert (low := small_mono c d h). assert (high := large_mono c d h). split; lra. Qed.
Lemma factor_pos : forall c r, factor c r -> 0 < r.
Proof. intros c r [h _]. assert (low := small_pos c). lra. Qed.
Lemma factor_times : forall c d r s, factor c r -> factor d s -> factor (c + d) (r * s).
Proof.
  intros c d r s [a b] [e f]. assert (low := small_pos c). assert (high := small_pos d). unfold factor.
    rewrite !pow_add.
  split; apply Rmult_le_compat; lra.
Qed.
Lemma factor_inverse : forall c r, factor c r -> factor c (/ r).
Proof.
  intros c r h. assert (p := factor_pos c r h). destruct h as [a b]. split.
  - rewrite inverse in b. rewrite <- (Rinv_inv ((1 - u) ^ c)).
    now apply Rinv_le_contravar.
  - rewrite inverse. apply Rinv_le_contravar; [apply small_pos | assumption].
Qed.
Lemma factor_root : forall c r, factor c r -> factor c (sqrt r).
Proof.
  intros c r h. assert (p := factor_pos c r h). destruct h as [a b].
  assert (q := small_pos c). assert (q1 := small_le c). assert (g := large_ge c). split.
  - rewrite <- (sqrt_pow2 ((1 - u) ^ c)) by lra. apply sqrt_le_1; nra.
  - rewrite <- (sqrt_pow2 ((/ (1 - u)) ^ c)) by lra. apply sqrt_le_1; nra.
Qed.
Lemma within_mono : forall c d T x, (c <= d)%nat -> within c T x -> within d T x.
Proof. intros c d T x h [r [k e]]. exists r. split; [now apply factor_mono with c | assumption]. Qed.
Lemma within_within : forall c d T x y, within c T x -> within d x y -> within (c + d) T y.
Proof. intros c d T x y [r [h ->]] [s [k ->]]. exists (r * s). split; [now apply factor_times | ring]. Qed.

(* every operation with relative error at most u is a rounding, and so is its inverse *)
Theorem relative_error_rounds : forall T x, Rabs (x - T) <= u * Rabs T -> rounds T x.
Proof.
  intros T x h. destruct (Req_dec T 0) as [-> | d].
  - exists 1. split; [apply factor_one |]. rewrite Rabs_R0, Rmult_0_r in h.
    destruct (Req_dec x 0) as [-> | e]; [ring |]. apply Rabs_pos_lt in e. rewrite Rminus_0_r in h. lra.
  - exists (x / T). split; [| field; assumption].
    assert (k : Rabs (x / T - 1) <= u).
    { replace (x / T - 1) with ((x - T) / T) by (field; assumption). unfold Rdiv. rewrite Rabs_mult, Rabs_inv.
      assert (0 < Rabs T) by now apply Rabs_pos_lt. apply Rmult_le_reg_r with (Rabs T); [assumption |].
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r; lra. }
    apply Rabs_le_between in k. unfold factor. rewrite !pow_1. split; [lra |].
    apply Rle_trans with (1 + u); [lra |]. apply Rmult_le_reg_r with (1 - u); [lra |]. rewrite Rinv_l; nra.
Qed.

(* a value as a positive part less a negative part, each after c roundings *)
Definition parts (c : nat) (T S x : R) : Prop :=
  exists p n, x = p - n /\ within c ((S + T) / 2) p /\ within c ((S - T) / 2) n.

Lemma within_sum : forall c A B a b, 0 <= A -> 0 <= B -> within c A a -> within c B b -> within c (A + B) (a + b).
Proof.
  intros c A B a b hA hB [r [[h1 h2] ->]] [s [[k1 k2] ->]].
  destruct (Req_dec (A + B) 0) as [z | d].
  - exists 1. split; [apply factor_one |]. replace A with 0 by lra. replace B with 0 by lra. ring.
  - exists ((A * r + B * s) / (A + B)). split; [| field; assumption].
    split; apply Rmult_le_reg_r with (A + B); try lra; unfold Rdiv;
      rewrite Rmult_assoc, Rinv_l, Rmult_1_r by assumption; nra.
Qed.
Lemma within_product : forall c d A B a b, within c A a -> within d B b -> within (c + d) (A * B) (a * b).
Proof. intros c d A B a b [r [h ->]] [s [k ->]]. exists (r * s). split; [now apply factor_times | ring]. Qed.

Lemma size_ge : forall t, sound t -> Rabs (exact t) <= size t.
Proof.
  induction t; simpl; intros s; try (apply Rle_refl).
  - rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos | auto].
  - eapply Rle_trans; [apply Rabs_triang |]. destruct s. apply Rplus_le_compat; auto.
  - rewrite Rabs_mult. destruct s. apply Rmult_le_compat; auto using Rabs_pos.
  - destruct s as (s1 & s2 & e & p). unfold Rdiv. rewrite Rabs_mult, e, Rabs_inv, (Rabs_pos_eq (size t2)) by lra.
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat | auto].
  - destruct s as (s1 & e). rewrite e, Rabs_pos_eq by apply sqrt_pos. apply Rle_refl.
Qed.

Lemma parts_near : forall c T S x, Rabs T <= S -> parts c T S x -> near c T S x.
Proof.
  intros c T S x h (p & n & -> & [r [[a1 a2] ->]] & [s [[b1 b2] ->]]). apply Rabs_le_between in h.
  assert (k := below_above c). unfold near. apply Rabs_le. set (g := (/ (1 - u)) ^ c) in *. set (l := (1 - u) ^ c) in *.
  assert (0 <= (S + T) / 2) by lra. assert (0 <= (S - T) / 2) by lra.
  set (P := (S + T) / 2) in *. set (N := (S - T) / 2) in *.
  replace S with (P + N) by (unfold P, N; field). replace T with (P - N) by (unfold P, N; field). split; nra.
Qed.
Lemma parts_rounds : forall c T S x z, parts c T S x -> rounds x z -> parts (Datatypes.S c) T S z.
Proof.
  intros c T S x z (p & n & -> & hp & hn) [r [h ->]]. exists (p * r), (n * r). split; [ring |].
  rewrite <- Nat.add_1_r. split; eapply within_within; eauto; exists r; auto.
Qed.
Lemma parts_mono : forall c d T S x, (c <= d)%nat -> parts c T S x -> parts d T S x.
Proof. intros c d T S x h (p & n & e & hp & hn). exists p, n. eauto using within_mono. Qed.
Lemma parts_number : forall c x y, within c x y -> parts c x (Rabs x) y.
Proof.
  intros c x y [r [h ->]]. exists ((Rabs x + x) / 2 * r), ((Rabs x - x) / 2 * r).
  split; [field | split; exists r; auto].
Qed.
(* of a term that is as large as its size, all of the error is one factor *)
Lemma parts_within : forall c T S x, T = S -> parts c T S x -> within c T x.
Proof.
  intros c T S x <- (p & n & -> & [r [h ->]] & [s [k ->]]). exists r. split; [assumption | field].
Qed.

Lemma computed_parts : forall t x, sound t -> computes t x -> parts (count t) (exact t) (size t) x.
Proof.
  intros t x s h. revert s. induction h; simpl; intros s.
  - apply parts_number. exists 1. split; [apply factor_one | ring].
  - now apply parts_number.
  - now apply parts_number.
  - destruct (IHh s) as (p & n & -> & [r [hr ->]] & [q [hq ->]]). destruct (Rle_dec 0 w) as [k | k].
    + rewrite Rabs_pos_eq by assumption. exists (w * ((size a + exact a) / 2) * r), (w * ((size a - exact a) / 2) * q).
      split; [ring | split; [exists r | exists q]; split; auto; field].
    + rewrite Rabs_left by lra. exists (- w * ((size a - exact a) / 2) * q), (- w * ((size a + exact a) / 2) * r).
      split; [ring | split; [exists q | exists r]; split; auto; field].
  - destruct s as [s1 s2]. apply parts_rounds with (x + y); [| assumption].
    specialize (IHh1 s1). specialize (IHh2 s2). assert (g1 := size_ge a s1). assert (g2 := size_ge b s2).
    apply Rabs_le_between in g1, g2.
    apply parts_mono with (d := Nat.max (count a) (count b)) in IHh1; [| lia].
    apply parts_mono with (d := Nat.max (count a) (count b)) in IHh2; [| lia].
    destruct IHh1 as (p & n & -> & hp & hn). destruct IHh2 as (q & m & -> & hq & hm).
    exists (p + q), (n + m). split; [ring | split].
    + replace ((size a + size b + (exact a + exact b)) / 2) with ((size a + exact a) / 2 + (size b + exact b) / 2)
      by field.
      apply within_sum; auto; lra.
    + replace ((size a + size b - (exact a + exact b)) / 2) with ((size a - exact a) / 2 + (size b - exact b) / 2)
      by field.
      apply within_sum; auto; lra.
  - destruct s as [s1 s2]. apply parts_rounds with (x * y); [| assumption].
    assert (g1 := size_ge a s1). assert (g2 := size_ge b s2). apply Rabs_le_between in g1, g2.
    destruct (IHh1 s1) as (p & n & -> & hp & hn). destruct (IHh2 s2) as (q & m & -> & hq & hm).
    set (A := size a) in *. set (B := size b) in *. set (E := exact a) in *. set (F := exact b) in *.
    exists (p * q + n * m), (p * m + n * q). split; [ring | split].
    + replace ((A * B + E * F) / 2) with ((A + E) / 2 * ((B + F) / 2) + (A - E) / 2 * ((B - F) / 2)) by field.
      apply within_sum; auto using within_product; apply Rmult_le_pos; lra.
    + replace ((A * B - E * F) / 2) with ((A + E) / 2 * ((B - F) / 2) + (A - E) / 2 * ((B + F) / 2)) by field.
      apply within_sum; auto using within_product; apply Rmult_le_pos; lra.
  - destruct s as (s1 & s2 & e & pos). apply parts_rounds with (x / y); [| assumption].
    destruct (parts_within _ _ _ _ e (IHh2 s2)) as [r [hr ->]].
      destruct (IHh1 s1) as (p & n & -> & [q [hq ->]] & [m [hm ->]]).
    rewrite e. assert (r0 := factor_pos _ _ hr). apply factor_inverse in hr.
    exists ((size a + exact a) / 2 / size b * (q * / r)), ((size a - exact a) / 2 / size b * (m * / r)).
    split; [field; lra | split].
    + exists (q * / r). split; [now apply factor_times | field; lra].
    + exists (m * / r). split; [now apply factor_times | field; lra].
  - destruct s as (s1 & e). apply parts_rounds with (sqrt x); [| assumption].
    destruct (parts_within _ _ _ _ e (IHh s1)) as [r [hr ->]]. assert (g := size_ge a s1). rewrite <- e in *.
    apply Rabs_le_between in g. assert (r0 := factor_pos _ _ hr). apply factor_root in hr.
    rewrite sqrt_mult by lra. rewrite <- (Rabs_pos_eq (sqrt (exact a))) at 2 by apply sqrt_pos.
    apply parts_number. exists (sqrt r). auto.
Qed.

(* Higham, Accuracy and Stability of Numerical Algorithms (2002), Lemma 3.1, for a tree of operations *)
Theorem higham : forall t x, sound t -> computes t x -> near (count t) (exact t) (size t) x.
Proof. intros. apply parts_near; [now apply size_ge | now apply computed_parts]. Qed.
(* a term without cancellation: the computed value is the exact one times a product of roundings *)
Theorem higham_positive : forall t x, sound t -> exact t = size t -> computes t x -> within (count t) (exact t) x.
Proof. intros t x s e h. apply parts_within with (size t); [assumption | now apply computed_parts]. Qed.

Lemma near_mono : forall c d T S x, (c <= d)%nat -> 0 <= S -> near c T S x -> near d T S x.
Proof.
  unfold near. intros c d T S x h s n. eapply Rle_trans; [eassumption |]. apply Rmult_le_compat_r; [assumption |].
  assert (low := large_mono c d h). lra.
Qed.
Lemma size_nonnegative : forall t, sound t -> 0 <= size t.
Proof. intros t s. eapply Rle_trans; [apply Rabs_pos | now apply size_ge]. Qed.

(* m terms of c roundings at most are added with c + m - 1 *)
Theorem any_brackets : forall l x c, Forall sound l -> Forall (fun a => count a <= c)%nat l -> added l x ->
  near (c + (length l - 1)) (total exact l) (total size l) x.
Proof.
  intros l x c s f (t & b & h). destruct (brackets_sum _ _ b) as [<- <-]. assert (k := brackets_sound _ _ b s).
  apply near_mono with (count t); [now apply brackets_count | now apply size_nonnegative | now apply higham].
Qed.
End Machine.

(* --- One rounding less, and wrong relations ----------------------------------------------------------------------- *)
Ltac up u := apply relative_error_rounds; [lra |]; apply Req_le; rewrite ?Rabs_mult; rewrite !Rabs_pos_eq; nra.
(* three numbers are added with two roundings, and there are sums that are not within one *)
Theorem one_rounding_less_fails : forall u, 0 < u <= 1 / 4 ->
  exists x, added u [Held 1; Held 1; Held 1] x /\ ~ near u 1 3 3 x.
Proof.
  intros u h. exists ((2 * (1 + u) + 1) * (1 + u)). split.
  - exists (Plus (Plus (Held 1) (Held 1)) (Held 1)). split.
    + apply joined with [Held 1; Held 1] [Held 1]; [| apply single | apply Permutation_refl].
      apply joined with [Held 1] [Held 1]; [apply single | apply single | apply Permutation_refl].
    + apply plus with (2 * (1 + u)) 1; [| apply held | up u].
      apply plus with 1 1; [apply held | apply held | up u].
  - unfold near. rewrite pow_1. intros k. apply Rabs_le_between in k.
    assert (/ (1 - u) - 1 <= 4 / 3 * u).
    { apply Rmult_le_reg_r with (1 - u); [lra |]. rewrite Rmult_minus_distr_r, Rinv_l by lra. nra. }
    nra.
Qed.
(* the absolute value of the sum is no size for three terms: partial sums may be larger *)
Theorem size_of_the_sum_fails : forall u, 0 < u <= 1 / 8 ->
  exists x, added u [Held 1; Held 1; Held (-1)] x /\ ~ near u 2 1 (Rabs (1 + 1 + -1)) x.
Proof.
  intros u h. exists ((2 * (1 + u) + -1) * (1 + u)). split.
  - exists (Plus (Plus (Held 1) (Held 1)) (Held (-1))). split.
    + apply joined with [Held 1; Held 1] [Held (-1)]; [| apply single | apply Permutation_refl].
      apply joined with [Held 1] [Held 1]; [apply single | apply single | apply Permutation_refl].
    + apply plus with (2 * (1 + u)) (-1); [| apply held | up u].
      apply plus with 1 1; [apply held | apply held | up u].
  - unfold near. rewrite (Rabs_pos_eq (1 + 1 + -1)) by lra. intros k. apply Rabs_le_between in k.
    assert (/ (1 - u) <= 1 + 8 / 7 * u).
    { apply Rmult_le_reg_r with (1 - u); [lra |]. rewrite Rinv_l by lra. nra. }
    assert (0 < / (1 - u)) by (apply Rinv_0_lt_compat; lra).
    assert ((/ (1 - u)) ^ 2 <= (1 + 8 / 7 * u) ^ 2) by (apply pow_incr; lra). nra.
Qed.
(* a weight that is stored costs a rounding *)
Theorem stored_as_exact_fails : forall u, 0 < u <= 1 / 4 ->
  exists x, computes u (Times (Stored 3) (Held 1)) x /\ ~ near u 1 3 3 x.
Proof.
  intros u h. exists (3 * (1 + u) * (1 + u)). split.
  - apply times with (3 * (1 + u)) 1; [apply stored; up u | apply held | up u].
  - unfold near. rewrite pow_1. intros k. apply Rabs_le_between in k.
    assert (/ (1 - u) - 1 <= 4 / 3 * u).
    { apply Rmult_le_reg_r with (1 - u); [lra |]. rewrite Rmult_minus_distr_r, Rinv_l by lra. nra. }
    nra.
Qed.
