(* The forward pass of a machine that rounds. It satisfies what `run(rounded-NAME; u)` states: block by block for blocks
   of any width and windows of any length, and for six stored models in the words of the statement, which the test
   test_rounded_machines.py compares with what symcook writes. Covered are words and tables of positions, hidden units
   with relu and gelu, sums with the residual, uniform means, softmax, attention to the largest scores with any
   tie-breaking, and layer norms. Not covered are underflow, and whole numbers in floats. No statement, certificate or
   record uses this file. *)
From Coquelicot Require Import Coquelicot.
From Coq Require Import Reals ZArith Lia Lra List Permutation ClassicalEpsilon.
From Symcook Require Import Meaning Laws Erf rounding.
Import ListNotations.
Open Scope R_scope.

(* --- Definitions: to be read -------------------------------------------------------------------------------------- *)
Section Blocks.
Variable u : R.

(* the positions from a to b *)
Definition window (a b : Z) : list Z := map (fun k => (a + Z.of_nat k)%Z) (seq 0 (Z.to_nat (b - a + 1))).

(* a divided by d: a quotient, or a product with a rounded inverse *)
Inductive divided (a d : tree) : tree -> Prop :=
  | quotient : divided a d (Over a d)
  | by_inverse : divided a d (Times a (Over (Held 1) d)).
(* the same for one term of a sum; of a product its first factor may be divided *)
Inductive divided_term : tree -> tree -> tree -> Prop :=
  | whole a d q : divided a d q -> divided_term a d q
  | first_factor w a d q : divided w d q -> divided_term (Times w a) d (Times q a).
(* the sum of the terms f j divided by d: after it is added, or each term before *)
Inductive mean_of (f : Z -> tree) (l : list Z) (d : tree) : tree -> Prop :=
  | divided_last s t : brackets (map f l) s -> divided s d t -> mean_of f l d t
  | divided_first h t :
      (forall j, In j l -> divided_term (f j) d (h j)) -> brackets (map h l) t -> mean_of f l d t.
Definition averaged (f : Z -> tree) (l : list Z) (d : tree) (x : R) : Prop :=
  exists t, mean_of f l d t /\ computes u t x.

(* the exponential of a - b, where away is what the exponential is taken of: with base e, or with base 2 and a stored
   log2(e); an exponential of the library is within four roundings *)
Inductive exponential (a b away share : R) : Prop :=
  | base_e : rounds u (a - b) away -> within u 4 (exp away) share -> exponential a b away share
  | base_two c e p :
      rounds u (a - b) c -> rounds u (/ ln 2) e -> rounds u (c * e) p -> away = p * ln 2 ->
      within u 4 (exp (p * ln 2)) share -> exponential a b away share.

(* gelu of x: x / sqrt 2 with a stored root or its stored inverse, a value of erf within four roundings, a sum, a
  product *)
Definition gelu_unit (x y : R) : Prop :=
  exists q a e, (divided (Held x) (Stored (sqrt 2)) q \/ q = Times (Held x) (Stored (1 / sqrt 2))) /\ computes u q a
    /\ within u 4 (erf a) e /\ computes u (Times (Scaled (1 / 2) (Held x)) (Plus (Held 1) (Held e))) y.
(* what it is near to, as a tree *)
Definition gelu_tree (x : R) : tree := Times (Scaled (1 / 2) (Held x)) (Plus (Held 1) (Value 7 (erf (x / sqrt 2)))).

(* one row of softmax over the scores of a window: any number may be subtracted from all of them *)
Record softmax_row (l : list Z) (score : Z -> R) (shift : R) (away share : Z -> R) (s : R) : Prop := {
  powers : forall j, In j l -> exponential (score j) shift (away j) (share j);
  shares : added u (map (fun j => Held (share j)) l) s
}.

(* attention to the largest scores: the mean over those positions, as adding zero is exact *)
Definition largest (s : Z -> R) (a b j : Z) : Prop := forall k : Z, a <= k <= b -> s k <= s j.
Definition chosen (P : Z -> Prop) (j : Z) : bool := if excluded_middle_informative (P j) then true else false.
Definition averaged_hard (a b : Z) (s : Z -> R) (f : Z -> tree) (x : R) : Prop :=
  let best := filter (chosen (largest s a b)) (window a b) in averaged f best (Stored (INR (length best))) x.

(* a layer norm of the numbers e: mean, variance and what is added to it, deviation, and what is made of an entry.
  Sums are
   divided after they are added; the differences to the mean are rounded, and so is each square.
     The gain may be multiplied
   before or after the division *)
Definition norm_mean (e : list R) (mu : R) : Prop :=
  exists s t, brackets (map Held e) s /\ divided s (Stored (INR (length e))) t /\ computes u t mu.
Definition norm_variance (e epsilon : list R) (mu under : R) : Prop :=
  exists s t, brackets (map (fun x => Times (Stored (x + - mu)) (Stored (x + - mu))) e) s
    /\ divided s (Stored (INR (length e))) t /\ added u (t :: map Stored epsilon) under.
Definition norm_deviation (under dev : R) : Prop := computes u (Root (Held under)) dev.
Definition norm_entry (x mu dev : R) (gain : option R) (bias : list R) (y : R) : Prop :=
  let away := Stored (x + - mu) in
  exists q, match gain with
            | None => divided away (Held dev) q
            | Some g => divided (Times (Stored g) away) (Held dev) q
                        \/ exists a, divided away (Held dev) a /\ q = Times (Stored g) a
            end /\ added u (q :: map Stored bias) y.

(* --- Means -------------------------------------------------------------------------------------------------------- *)
Hypothesis unit_range : 0 <= u < 1.

Lemma total_window : forall a b f, total f (window a b) = sum a b f.
Proof.
  intros a b f. unfold window, sum. induction (Z.to_nat (b - a + 1)) as [| n h]; [reflexivity |].
  rewrite seq_S, map_app, total_app, h. simpl. ring.
Qed.
Lemma window_length : forall a b, length (window a b) = Z.to_nat (b - a + 1).
Proof. intros. unfold window. now rewrite map_length, seq_length. Qed.
Lemma in_window : forall a b j, In j (window a b) -> (a <= j <= b)%Z.
Proof. intros a b j h. unfold window in h. apply in_map_iff in h as (k & <- & h). apply in_seq in h. lia. Qed.
Lemma total_map {A B} : forall (f : B -> R) (g : A -> B) l, total f (map g l) = total (fun a => f (g a)) l.
Proof. induction l; simpl; [reflexivity | now rewrite IHl]. Qed.
Lemma total_same {A} : forall (f g : A -> R) l, (forall a, In a l -> f a = g a) -> total f l = total g l.
Proof. induction l; simpl; intros h; [reflexivity |]. rewrite (h a), IHl; auto. Qed.
Lemma total_over {A} : forall (f : A -> R) d l, total (fun a => f a / d) l = total f l / d.
Proof. induction l; simpl; [unfold Rdiv; ring | rewrite IHl; unfold Rdiv; ring]. Qed.

(* divisors: positive, and no number in them is negative *)
Definition positive (d : tree) : Prop := sound d /\ exact d = size d /\ 0 < size d.

Lemma divided_facts : forall a d q, sound a -> positive d -> divided a d q ->
  sound q /\ exact q = exact a / exact d /\ size q = size a / exact d /\ (count q <= count a + count d + 2)%nat.
Proof.
  intros a d q s (sd & e & p) [|]; simpl; rewrite <- e in *; rewrite ?Rabs_R1; repeat split; auto; try lia;
    unfold Rdiv; ring.
Qed.
Lemma divided_term_facts : forall a d q, sound a -> positive d -> divided_term a d q ->
  sound q /\ exact q = exact a / exact d /\ size q = size a / exact d /\ (count q <= count a + count d + 2)%nat.
Proof.
  intros a d q s p h. destruct h as [a d q h | w a d q h]; [now apply divided_facts |].
  destruct s as [s1 s2]. destruct (divided_facts _ _ _ s1 p h) as (h1 & h2 & h3 & h4). simpl.
  rewrite h2, h3. repeat split; auto; try lia; unfold Rdiv; ring.
Qed.

Lemma mean_facts : forall f l d t c, positive d -> (forall j, In j l -> sound (f j) /\ (count (f j) <= c)%nat) ->
  mean_of f l d t ->
  sound t /\ exact t = total (fun j => exact (f j)) l / exact d /\ size t = total (fun j => size (f j)) l / exact d
  /\ (count t <= c + (length l - 1) + count d + 2)%nat.
Proof.
  intros f l d t c p hf h.
  assert (sf : Forall sound (map f l)). { apply Forall_forall. intros a k. apply in_map_iff in k as (j & <- & k).
    now apply hf. }
  assert (cf : Forall (fun a => count a <= c)%nat (map f l)).
  { apply Forall_forall. intros a k. apply in_map_iff in k as (j & <- & k). now apply hf. }
  destruct h as [s t b h | h t hh b].
  - destruct (divided_facts _ _ _ (brackets_sound _ _ b sf) p h) as (h1 & h2 & h3 & h4).
    destruct (brackets_sum _ _ b) as [e1 e2]. apply brackets_count with (c := c) in b; [| assumption].
    rewrite map_length in b. rewrite e1, total_map in h2. rewrite e2, total_map in h3. repeat split; auto. lia.
  - assert (k : forall j, In j l -> sound (h j) /\ exact (h j) = exact (f j) / exact d
    /\ size (h j) = size (f j) / exact d
                /\ (count (h j) <= c + count d + 2)%nat).
    { intros j i. destruct (hf j i) as [f1 f2].
      destruct (divided_term_facts _ _ _ f1 p (hh j i)) as (h1 & h2 & h3 & h4). repeat split; auto. lia. }
    destruct (brackets_sum _ _ b) as [e1 e2]. rewrite total_map in e1, e2. split; [| split; [| split]].
    + apply brackets_sound with (map h l); [assumption |]. apply Forall_forall. intros a i.
      apply in_map_iff in i as (j & <- & i). now apply k.
    + rewrite e1, <- total_over. apply total_same. intros j i. now apply k.
    + rewrite e2, <- total_over. apply total_same. intros j i. now apply k.
    + apply brackets_count with (c := (c + count d + 2)%nat) in b.
      * rewrite map_length in b. lia.
      * apply Forall_forall. intros a i. apply in_map_iff in i as (j & <- & i). now apply k.
Qed.

Theorem mean_near : forall f l d x c, positive d -> (forall j, In j l -> sound (f j) /\ (count (f j) <= c)%nat) ->
  averaged f l d x ->
  near u (c + (length l - 1) + count d + 2) (total (fun j => exact (f j)) l / exact d)
    (total (fun j => size (f j)) l / exact d) x.
Proof.
  intros f l d x c p hf (t & m & h). destruct (mean_facts f l d t c p hf m) as (s & <- & <- & k).
  apply near_mono with (count t); auto; [now apply size_nonnegative | now apply higham].
Qed.

(* --- As a statement has it ---------------------------------------------------------------------------------------- *)
Lemma as_stated : forall (c : Z) k T S x, (Z.of_nat k <= c)%Z -> 0 <= S -> near u k T S x ->
  Rabs (x - T) <= (power (1 / (1 - u)) c - 1) * S.
Proof.
  intros c k T S x h s n. apply near_mono with (d := Z.to_nat c) in n; auto; [| lia].
  unfold power. replace (0 <=? c)%Z with true by (symmetry; apply Z.leb_le; lia).
  unfold Rdiv. rewrite Rmult_1_l. exact n.
Qed.
Lemma tree_stated : forall (c : Z) t x, sound t -> (Z.of_nat (count t) <= c)%Z -> computes u t x ->
  Rabs (x - exact t) <= (power (1 / (1 - u)) c - 1) * size t.
Proof. intros c t x s k h.
  apply as_stated with (count t); [assumption | now apply size_nonnegative | now apply higham]. Qed.
Lemma added_stated : forall (c : Z) l x k, Forall sound l -> Forall (fun a => count a <= k)%nat l ->
  (Z.of_nat (k + (length l - 1)) <= c)%Z -> added u l x ->
  Rabs (x - total exact l) <= (power (1 / (1 - u)) c - 1) * total size l.
Proof.
  intros c l x k s f n h. apply as_stated with (k + (length l - 1))%nat; [assumption | | now apply any_brackets].
  clear - s unit_range. induction s; simpl; [lra |].
    apply Rplus_le_le_0_compat; [now apply size_nonnegative | assumption].
Qed.
Lemma within_stated : forall (c : Z) k T x, (Z.of_nat k <= c)%Z -> within u k T x ->
  Rabs (x - T) <= (power (1 / (1 - u)) c - 1) * Rabs T.
Proof.
  intros c k T x h w. apply as_stated with k; [assumption | apply Rabs_pos |].
  apply parts_near; [assumption | apply Rle_refl | now apply parts_number].
Qed.

(* heads *)
Theorem exponential_stated : forall a b away share, exponential a b away share ->
  Rabs (away - (a - b)) <= (power (1 / (1 - u)) 3 - 1) * Rabs (a - b)
  /\ Rabs (share - exp away) <= (power (1 / (1 - u)) 4 - 1) * exp away.
Proof.
  assert (l2 : 0 < ln 2). { rewrite <- ln_1. apply ln_increasing; lra. }
  intros a b away share h. destruct h as [h1 h2 | c e p h1 h2 h3 -> h5].
  - split.
    + now apply within_stated with 1%nat.
    + rewrite <- (Rabs_pos_eq (exp away)) at 2 by (left; apply exp_pos). now apply within_stated with 4%nat.
  - split.
    + apply within_stated with 3%nat; [lia |]. destruct h1 as [r [hr ->]], h2 as [s [hs ->]], h3 as [q [hq ->]].
      exists (r * s * q). split; [apply factor_times with (c := 2%nat); auto;
        now apply factor_times with (c := 1%nat) |].
      field. lra.
    + rewrite <- (Rabs_pos_eq (exp (p * ln 2))) at 2 by (left; apply exp_pos). now apply within_stated with 4%nat.
Qed.
Lemma total_nonnegative {A} : forall (f : A -> R) l, (forall a, In a l -> 0 <= f a) -> 0 <= total f l.
Proof. induction l; simpl; intros h; [lra |]. apply Rplus_le_le_0_compat; auto. Qed.
Theorem shares_stated : forall (c : Z) a b score shift away share s, (a <= b)%Z -> (b - a <= c)%Z ->
  softmax_row (window a b) score shift away share s ->
  Rabs (s - sum a b (fun j => share j)) <= (power (1 / (1 - u)) c - 1) * sum a b (fun j => Rabs (share j)).
Proof.
  intros c a b score shift away share s h hc [_ t]. rewrite <- !total_window.
  apply added_stated with (c := c) (k := O) in t.
  - now rewrite !total_map in t.
  - apply Forall_forall. intros x i. apply in_map_iff in i as (j & <- & i). exact I.
  - apply Forall_forall. intros x i. apply in_map_iff in i as (j & <- & i). apply le_n.
  - rewrite map_length, window_length. lia.
Qed.
(* the mean over a window of terms of c roundings, divided by d *)
Theorem mean_stated : forall (c : Z) f a b d x k, (a <= b)%Z -> positive d ->
  (forall j, (a <= j <= b)%Z -> sound (f j) /\ (count (f j) <= k)%nat) ->
  (Z.of_nat (k + count d) + (b - a) + 2 <= c)%Z -> averaged f (window a b) d x ->
  Rabs (x - sum a b (fun j => exact (f j)) / exact d) <=
    (power (1 / (1 - u)) c - 1) * (sum a b (fun j => size (f j)) / exact d).
Proof.
  intros c f a b d x k h p hf n m. rewrite <- !total_window.
  assert (hf' : forall j, In j (window a b) -> sound (f j) /\ (count (f j) <= k)%nat).
  { intros j i. apply hf. now apply in_window. }
  apply as_stated with (k + (length (window a b) - 1) + count d + 2)%nat.
  - rewrite window_length. lia.
  - destruct p as (_ & e & p). rewrite e. apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat].
    apply total_nonnegative. intros j i. apply size_nonnegative; now apply hf'.
  - now apply mean_near.
Qed.

(* --- Attention to the largest scores ------------------------------------------------------------------------------ *)
Lemma chosen_cases : forall (P : Z -> Prop) j,
  P j /\ chosen P j = true /\ ind (P j) = 1 /\ ind_Z (P j) = 1%Z
  \/ ~ P j /\ chosen P j = false /\ ind (P j) = 0 /\ ind_Z (P j) = 0%Z.
Proof. intros P j. unfold chosen, ind, ind_Z. destruct (excluded_middle_informative (P j)); auto. Qed.
Lemma total_chosen : forall P f l, total f (filter (chosen P) l) = total (fun j => ind (P j) * f j) l.
Proof.
  intros P f l. induction l as [| j l h]; [reflexivity |]. cbn [filter total].
  destruct (chosen_cases P j) as [(_ & -> & -> & _) | (_ & -> & -> & _)]; cbn [total]; rewrite h; ring.
Qed.
Lemma length_chosen : forall P l, INR (length (filter (chosen P) l)) = total (fun j => ind (P j)) l.
Proof.
  intros P l. induction l as [| j l h]; [reflexivity |]. cbn [filter total].
  destruct (chosen_cases P j) as [(_ & -> & -> & _) | (_ & -> & -> & _)]; cbn [length]; rewrite ?S_INR, h; ring.
Qed.
Lemma length_window : forall P a b,
  Z.of_nat (length (filter (chosen P) (window a b))) = sum_Z a b (fun j => ind_Z (P j)).
Proof.
  intros P a b. unfold window, sum_Z. induction (Z.to_nat (b - a + 1)) as [| n h]; [reflexivity |].
  rewrite seq_S, map_app, filter_app, app_length, Nat2Z.inj_add, h. cbn [sum_of_Z map filter]. f_equal.
  rewrite Nat.add_0_l. now destruct (chosen_cases P (a + Z.of_nat n)%Z) as [(_ & -> & _ & ->) | (_ & -> & _ & ->)].
Qed.
Lemma positive_stored : forall d, 0 < d -> positive (Stored d).
Proof. intros d p. unfold positive. simpl. rewrite Rabs_pos_eq by lra. auto. Qed.
Lemma positive_held : forall d, 0 < d -> positive (Held d).
Proof. intros d p. unfold positive. simpl. rewrite Rabs_pos_eq by lra. auto. Qed.

Lemma mean_length : forall f l d t, mean_of f l d t -> (1 <= length l)%nat.
Proof. intros f l d t [s t' b _ | h t' _ b]; apply brackets_length in b; now rewrite map_length in b. Qed.
Theorem hard_stated : forall (c : Z) a b s f x k,
  (forall j, (a <= j <= b)%Z -> sound (f j) /\ (count (f j) <= k)%nat) -> (Z.of_nat k + 2 <= c)%Z ->
  averaged_hard a b s f x ->
  Rabs (x - sum a b (fun j => ind (largest s a b j) * exact (f j)) / sum a b (fun j => ind (largest s a b j)))
    <= (power (1 / (1 - u)) (sum_Z a b (fun j => ind_Z (largest s a b j)) + c) - 1)
       * (sum a b (fun j => ind (largest s a b j) * size (f j)) / sum a b (fun j => ind (largest s a b j))).
Proof.
  intros c a b s f x k hf m n. unfold averaged_hard in n. set (l := filter (chosen (largest s a b)) (window a b)) in *.
  rewrite <- !total_window, <- !total_chosen, <- length_chosen, <- length_window. fold l.
  assert (hf' : forall j, In j l -> sound (f j) /\ (count (f j) <= k)%nat).
  { intros j i. apply hf, in_window. now apply filter_In in i. }
  assert (one : (1 <= length l)%nat). { destruct n as (t & n & _). now apply mean_length in n. }
  assert (p : 0 < INR (length l)) by (apply lt_0_INR; lia).
  apply as_stated with (k + (length l - 1) + 1 + 2)%nat; [lia | |].
  - apply Rmult_le_pos; [| left; now apply Rinv_0_lt_compat].
    apply total_nonnegative. intros j i. apply size_nonnegative; now apply hf'.
  - apply (mean_near f l (Stored (INR (length l))) x k); auto. now apply positive_stored.
Qed.
(* where one position is chosen, as the leftmost or the rightmost: a sum with zeros *)
Lemma sum_single : forall (P : Z -> Prop) a b j g, (a <= j <= b)%Z -> P j -> (forall k, (a <= k <= b)%Z -> P k -> k =
  j) ->
  sum a b (fun k => ind (P k) * g k) = g j.
Proof.
  intros P a b j g i p single. rewrite <- total_window.
  assert (n : NoDup (window a b)).
  { apply FinFun.Injective_map_NoDup; [intros x y; lia | apply seq_NoDup]. }
  assert (h : In j (window a b)).
  { apply in_map_iff. exists (Z.to_nat (j - a)). split; [lia |]. apply in_seq. lia. }
  assert (r : forall k, In k (window a b) -> P k -> k = j) by (intros k hk; apply single; now apply in_window).
  clear i single. induction (window a b) as [| k l ih]; [contradiction |]. simpl. inversion n; subst.
  destruct h as [-> | h].
  - rewrite (total_same _ (fun _ => 0)).
    + assert (z : total (fun _ : Z => 0) l = 0) by (clear; induction l; simpl; lra). rewrite z.
      destruct (chosen_cases P j) as [(_ & _ & -> & _) | (q & _)]; [ring | contradiction].
    + intros k hk. destruct (chosen_cases P k) as [(q & _) | (_ & _ & -> & _)]; [| ring].
      rewrite (r k) in hk by (simpl; auto). contradiction.
  - rewrite ih; auto; [| simpl in r; auto]. destruct (chosen_cases P k) as [(q & _) | (_ & _ & -> & _)]; [| ring].
    rewrite <- (r k) in h by (simpl; auto). contradiction.
Qed.
(* the mean, added to the old value of a coordinate *)
Theorem residual_stated : forall (c : Z) f a b d old t x k, (a <= b)%Z -> positive d ->
  (forall j, (a <= j <= b)%Z -> sound (f j) /\ (count (f j) <= k)%nat) ->
  (Z.of_nat (k + count d) + (b - a) + 3 <= c)%Z -> mean_of f (window a b) d t -> added u [Held old; t] x ->
  Rabs (x - (old + sum a b (fun j => exact (f j)) / exact d)) <=
    (power (1 / (1 - u)) c - 1) * (Rabs old + sum a b (fun j => size (f j)) / exact d).
Proof.
  intros c f a b d old t x k h p hf n m ad. rewrite <- !total_window.
  assert (hf' : forall j, In j (window a b) -> sound (f j) /\ (count (f j) <= k)%nat).
  { intros j i. apply hf. now apply in_window. }
  destruct (mean_facts f (window a b) d t k p hf' m) as (s & <- & <- & co). rewrite window_length in co.
  replace (exact t) with (total exact [t]) by (simpl; ring). replace (size t) with (total size [t]) by (simpl; ring).
  apply (added_stated c [Held old; t] x (k + Z.to_nat (b - a) + count d + 2)); auto.
  - repeat constructor. assumption.
  - constructor; [simpl; lia | constructor; [lia | constructor]].
  - cbn [length]. lia.
Qed.
Theorem single_stated : forall (c : Z) (P : Z -> Prop) a b j f x, (a <= j <= b)%Z -> P j ->
  (forall k, (a <= k <= b)%Z -> P k -> k = j) -> sound (f j) -> (Z.of_nat (count (f j)) <= c)%Z -> computes u (f j) x ->
  Rabs (x - sum a b (fun k => ind (P k) * exact (f k))) <=
    (power (1 / (1 - u)) c - 1) * sum a b (fun k => ind (P k) * size (f k)).
Proof.
  intros c P a b j f x i p s so co h. rewrite (sum_single P a b j), (sum_single P a b j) by assumption.
  now apply tree_stated.
Qed.
(* the sum of the shares of a row is positive, so it can be divided by *)
Lemma shares_positive : forall l score shift away share s, softmax_row l score shift away share s -> 0 < s.
Proof.
  intros l score shift away share s [h (t & b & c)].
  assert (pos : forall j, In j l -> 0 < share j).
  { intros j i. destruct (h j i) as [_ [r [k ->]] | c' e p _ _ _ _ [r [k ->]]];
      apply Rmult_lt_0_compat; try apply exp_pos; now apply factor_pos in k. }
  assert (one := brackets_length _ _ b). rewrite map_length in one.
  assert (so : sound t). { apply brackets_sound with (1 := b). apply Forall_forall. intros a i.
    apply in_map_iff in i as (j & <- & i). exact I. }
  destruct (brackets_sum _ _ b) as [e1 e2]. rewrite total_map in e1, e2. simpl in e1, e2.
  assert (e : exact t = size t).
  { rewrite e1, e2. apply total_same. intros j i. symmetry. apply Rabs_pos_eq. left. auto. }
  destruct (higham_positive u unit_range t s so e c) as [r [k ->]]. apply factor_pos in k; [| assumption].
  apply Rmult_lt_0_compat; [| assumption]. rewrite e1. clear - pos one. destruct l as [| j l]; simpl in *; [lia |].
  apply Rplus_lt_le_0_compat; [auto |]. apply total_nonnegative. intros i h. left. auto.
Qed.

(* --- gelu --------------------------------------------------------------------------------------------------------- *)
(* erf is concave from zero on, so a factor of its argument is at most that factor of its value *)
Lemma area_scaled : forall r y, 0 <= r <= 1 -> 0 <= y -> r * area y <= area (r * y).
Proof.
  intros r y h p. unfold area.
  assert (e := RInt_comp_lin (V := R_CompleteNormedModule) bell r 0 0 y (bell_integrable _ _)).
  replace (r * 0 + 0) with 0 in e by ring. replace (r * y + 0) with (r * y) in e by ring. rewrite <- e.
  assert (f := RInt_scal (V := R_CompleteNormedModule) bell 0 y r (bell_integrable 0 y)).
  change (scal r (RInt bell 0 y)) with (r * RInt bell 0 y) in f. rewrite <- f.
  apply RInt_le; [assumption | apply (ex_RInt_scal (V := R_NormedModule)), bell_integrable | |].
  - apply (ex_RInt_comp_lin (V := R_NormedModule)), bell_integrable.
  - intros t k. change (r * bell t <= r * bell (r * t + 0)). apply Rmult_le_compat_l; [lra |]. unfold bell.
    apply exp_le.
    assert ((r * t + 0) ^ 2 <= t ^ 2) by (apply pow_incr; nra). lra.
Qed.
Lemma erf_scaled : forall r y, 0 <= r <= 1 -> 0 <= y -> r * erf y <= erf (r * y).
Proof.
  intros r y h p. rewrite !erf_area. assert (f := factor_positive). assert (k := area_scaled r y h p). nra.
Qed.
Lemma erf_factor_positive : forall c y r, 0 <= y -> factor u c r -> within u c (erf y) (erf (y * r)).
Proof.
  intros c y r p h. assert (r0 := factor_pos u unit_range c r h). assert (e0 := erf_positive y p).
  assert (low : erf y * Rmin r 1 <= erf (y * r)).
  { destruct (Rle_dec r 1) as [k | k].
    - rewrite Rmin_left, Rmult_comm, (Rmult_comm y) by assumption. apply erf_scaled; lra.
    - rewrite Rmin_right, Rmult_1_r by lra. apply erf_mono. nra. }
  assert (high : erf (y * r) <= erf y * Rmax r 1).
  { destruct (Rle_dec r 1) as [k | k].
    - rewrite Rmax_right, Rmult_1_r by assumption. apply erf_mono. nra.
    - rewrite Rmax_left by lra.
      assert (i : 0 <= / r <= 1). { split; [left; now apply Rinv_0_lt_compat |]. rewrite <- Rinv_1.
        apply Rinv_le_contravar; lra. }
      assert (s := erf_scaled (/ r) (y * r) i ltac:(nra)). replace (/ r * (y * r)) with y in s by (field; lra).
      apply Rmult_le_reg_l with (/ r); [now apply Rinv_0_lt_compat |].
      replace (/ r * (erf y * r)) with (erf y) by (field; lra). assumption. }
  destruct h as [h1 h2]. assert (s1 := small_le u unit_range c). assert (g1 := large_ge u unit_range c).
  destruct (Req_dec (erf y) 0) as [z | z].
  - exists 1. split; [now apply factor_one |]. rewrite z, !Rmult_0_l in *. lra.
  - exists (erf (y * r) / erf y). split; [| field; assumption]. split; apply Rmult_le_reg_r with (erf y); try lra;
      unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r by assumption.
    + apply Rle_trans with (erf y * Rmin r 1); [| assumption]. rewrite Rmult_comm.
      apply Rmult_le_compat_l; [assumption |].
      now apply Rmin_glb.
    + apply Rle_trans with (erf y * Rmax r 1); [assumption |]. rewrite (Rmult_comm _ (erf y)).
      apply Rmult_le_compat_l; [assumption |]. now apply Rmax_lub.
Qed.
Lemma erf_within : forall c T a, within u c T a -> within u c (erf T) (erf a).
Proof.
  intros c T a [r [h ->]]. destruct (Rle_dec 0 T) as [p | p]; [now apply erf_factor_positive |].
  destruct (erf_factor_positive c (- T) r) as [s [k e]]; [lra | assumption |].
  exists s. split; [assumption |]. replace (- T * r) with (- (T * r)) in e by ring. rewrite !ax_erf_odd in e. lra.
Qed.
Theorem gelu_computes : forall x y, gelu_unit x y -> computes u (gelu_tree x) y.
Proof.
  intros x y (q & a & e & hq & ha & he & hy). assert (r2 : 0 < sqrt 2) by (apply sqrt_lt_R0; lra).
  assert (near_a : within u 3 (x / sqrt 2) a).
  { clear hy he.
    destruct hq as [d | ->].
    - inversion d; subst; inversion ha; subst.
      + match goal with h : computes u (Held x) _ |- _ => inversion h; subst end.
        match goal with h : computes u (Stored _) _ |- _ => inversion h; subst end.
        match goal with h : rounds u (sqrt 2) _ |- _ => destruct h as [s [hs ->]] end.
        match goal with h : rounds u _ _ |- _ => destruct h as [t [ht ->]] end.
        assert (s0 := factor_pos u unit_range _ _ hs). exists (/ s * t). split; [| field; lra].
        apply factor_mono with (c := (1 + 1)%nat); [assumption | lia |].
        apply factor_times; [assumption | now apply factor_inverse | assumption].
      + match goal with h : computes u (Held x) _ |- _ => inversion h; subst end.
        match goal with h : computes u (Over _ _) _ |- _ => inversion h; subst end.
        match goal with h : computes u (Held 1) _ |- _ => inversion h; subst end.
        match goal with h : computes u (Stored _) _ |- _ => inversion h; subst end.
        match goal with h : rounds u (sqrt 2) _ |- _ => destruct h as [s [hs ->]] end.
        match goal with h : rounds u (1 / _) _ |- _ => destruct h as [t [ht ->]] end.
        match goal with h : rounds u _ _ |- _ => destruct h as [v [hv ->]] end.
        assert (s0 := factor_pos u unit_range _ _ hs). exists (/ s * t * v). split; [| field; lra].
        apply (factor_times u unit_range 2 1); [| assumption].
        apply (factor_times u unit_range 1 1); [now apply factor_inverse | assumption].
    - inversion ha; subst.
      match goal with h : computes u (Held x) _ |- _ => inversion h; subst end.
      match goal with h : computes u (Stored _) _ |- _ => inversion h; subst end.
      match goal with h : rounds u (1 / _) _ |- _ => destruct h as [s [hs ->]] end.
      match goal with h : rounds u _ _ |- _ => destruct h as [t [ht ->]] end.
      exists (s * t). split; [| field; lra].
      apply factor_mono with (c := (1 + 1)%nat); [assumption | lia | now apply factor_times]. }
  inversion hy; subst. match goal with h : computes u (Plus _ _) _ |- _ => inversion h; subst end.
  match goal with h : computes u (Held e) _ |- _ => inversion h; subst end.
  eapply times; [eassumption | | eassumption]. eapply plus; [eassumption | | eassumption]. apply value.
  apply (within_within u unit_range 3 4) with (erf a); [now apply erf_within | assumption].
Qed.
Lemma gelu_facts : forall x, sound (gelu_tree x) /\ count (gelu_tree x) = 9%nat
  /\ exact (gelu_tree x) = x / 2 * (1 + erf (x / sqrt 2))
  /\ size (gelu_tree x) = Rabs (x / 2) * (1 + Rabs (erf (x / sqrt 2))).
Proof.
  intros x. cbn [gelu_tree sound count exact size]. unfold gelu_tree. cbn [sound count exact size]. repeat split; auto.
  - field.
  - rewrite Rabs_R1. replace (Rabs (x / 2)) with (Rabs (1 / 2) * Rabs x); [reflexivity |].
    rewrite <- Rabs_mult. f_equal. field.
Qed.

(* --- Layer norms -------------------------------------------------------------------------------------------------- *)
Lemma divided_sum : forall (f : R -> tree) e d s t k, positive d -> (forall x, sound (f x) /\ (count (f x) <= k)%nat) ->
  brackets (map f e) s -> divided s d t ->
  sound t /\ exact t = total (fun x => exact (f x)) e / exact d /\ size t = total (fun x => size (f x)) e / exact d
  /\ (count t <= k + (length e - 1) + count d + 2)%nat.
Proof.
  intros f e d s t k p hf b h.
  assert (sf : Forall sound (map f e)). { apply Forall_forall. intros a i. apply in_map_iff in i as (x & <- & _).
    apply hf. }
  assert (cf : Forall (fun a => count a <= k)%nat (map f e)).
  { apply Forall_forall. intros a i. apply in_map_iff in i as (x & <- & _). apply hf. }
  destruct (divided_facts _ _ _ (brackets_sound _ _ b sf) p h) as (h1 & h2 & h3 & h4).
  destruct (brackets_sum _ _ b) as [e1 e2]. apply brackets_count with (c := k) in b; [| assumption].
  rewrite map_length in b. rewrite e1, total_map in h2. rewrite e2, total_map in h3. repeat split; auto. lia.
Qed.
Lemma stored_list : forall l, Forall sound (map Stored l) /\ total exact (map Stored l) = total (fun x => x) l
  /\ total size (map Stored l) = total Rabs l.
Proof.
  intros l. rewrite !total_map. repeat split. apply Forall_forall. intros a i.
    now apply in_map_iff in i as (x & <- & _).
Qed.
Lemma added_to : forall (c : Z) t l x, sound t -> (1 <= count t)%nat -> (Z.of_nat (count t + length l) <= c)%Z ->
  added u (t :: map Stored l) x ->
  Rabs (x - (exact t + total (fun x => x) l)) <= (power (1 / (1 - u)) c - 1) * (size t + total Rabs l).
Proof.
  intros c t l x s one h a. destruct (stored_list l) as (sl & e1 & e2). rewrite <- e1, <- e2.
  apply (added_stated c (t :: map Stored l) x (count t)); auto.
  - constructor; [lia |]. apply Forall_forall. intros b i. apply in_map_iff in i as (y & <- & _). exact one.
  - cbn [length]. rewrite map_length. lia.
Qed.
Lemma length_pos : forall (f : R -> tree) e s, brackets (map f e) s -> (1 <= length e)%nat
  /\ positive (Stored (INR (length e))).
Proof.
  intros f e s b. apply brackets_length in b. rewrite map_length in b. split; [assumption |].
  apply positive_stored, lt_0_INR. lia.
Qed.
Theorem norm_mean_stated : forall (c : Z) e mu, (Z.of_nat (length e) + 2 <= c)%Z -> norm_mean e mu ->
  Rabs (mu - total (fun x => x) e / INR (length e))
    <= (power (1 / (1 - u)) c - 1) * (total Rabs e / INR (length e)).
Proof.
  intros c e mu h (s & t & b & d & k). destruct (length_pos _ _ _ b) as [one p].
  destruct (divided_sum Held e _ s t 0 p (fun x => conj I (le_n _)) b d) as (h1 & h2 & h3 & h4).
  cbn [exact size count] in *. change (total Rabs e) with (total (fun x => Rabs x) e). rewrite <- h2, <- h3.
  apply tree_stated; auto. lia.
Qed.
Lemma square_facts : forall x, sound (Times (Stored x) (Stored x)) /\ (count (Times (Stored x) (Stored x)) <= 3)%nat.
Proof. intros x. simpl. auto. Qed.
Theorem norm_variance_stated : forall (c : Z) e epsilon mu under,
  (Z.of_nat (length e + length epsilon) + 5 <= c)%Z -> norm_variance e epsilon mu under ->
  Rabs (under - (total (fun x => (x + - mu) * (x + - mu)) e / INR (length e) + total (fun x => x) epsilon))
    <= (power (1 / (1 - u)) c - 1)
       * (total (fun x => Rabs (x + - mu) * Rabs (x + - mu)) e / INR (length e) + total Rabs epsilon).
Proof.
  intros c e epsilon mu under h (s & t & b & d & k). destruct (length_pos _ _ _ b) as [one p].
  destruct (divided_sum _ e _ s t 3 p (fun x => square_facts (x + - mu)) b d) as (h1 & h2 & h3 & h4).
  cbn [exact size count] in *. rewrite <- h2, <- h3. apply added_to; auto; [| lia].
  inversion d; simpl; lia.
Qed.
Theorem norm_variance_positive : forall e epsilon mu under, Forall (fun x => 0 <= x) epsilon ->
  norm_variance e epsilon mu under -> 0 <= under.
Proof.
  intros e epsilon mu under pe (s & t & b & d & (t2 & b2 & k)). destruct (length_pos _ _ _ b) as [one p].
  destruct (divided_sum _ e _ s t 3 p (fun x => square_facts (x + - mu)) b d) as (h1 & h2 & h3 & h4).
  destruct (stored_list epsilon) as (sl & e1 & e2). destruct (brackets_sum _ _ b2) as [f1 f2].
  cbn [exact size total] in *. rewrite e1 in f1. rewrite e2 in f2.
  assert (so : sound t2) by (apply brackets_sound with (1 := b2); now constructor).
  assert (e3 : exact t = size t).
  { rewrite h2, h3. f_equal. apply total_same. intros x _. rewrite <- Rabs_mult. symmetry.
    apply Rabs_pos_eq, Rle_0_sqr. }
  assert (e4 : total (fun x => x) epsilon = total Rabs epsilon).
  { apply total_same. intros x i. symmetry. apply Rabs_pos_eq. rewrite Forall_forall in pe. now apply pe. }
  assert (equal : exact t2 = size t2) by lra.
  destruct (higham_positive u unit_range t2 under so equal k) as [r [hr ->]]. apply factor_pos in hr; [| assumption].
  apply Rmult_le_pos; [| lra]. rewrite equal. now apply size_nonnegative.
Qed.
Theorem norm_deviation_stated : forall under dev, 0 <= under -> norm_deviation under dev ->
  Rabs (dev - sqrt under) <= (power (1 / (1 - u)) 1 - 1) * sqrt under /\ 0 <= dev.
Proof.
  intros under dev p h. assert (so : sound (Root (Held under))). { simpl. split; [exact I | now rewrite Rabs_pos_eq]. }
  split.
  - assert (f : Rabs (dev - sqrt under) <= (power (1 / (1 - u)) 1 - 1) * sqrt (Rabs under)).
    { apply (tree_stated 1 (Root (Held under))); [assumption | simpl; lia | assumption]. }
    now rewrite (Rabs_pos_eq under p) in f.
  - destruct (higham_positive u unit_range (Root (Held under)) dev so) as [r [hr ->]]; [| assumption |].
    + simpl. now rewrite Rabs_pos_eq.
    + apply factor_pos in hr; [| assumption]. apply Rmult_le_pos; [apply sqrt_pos | lra].
Qed.
Theorem norm_entry_stated : forall (c : Z) x mu dev gain bias y, 0 < dev ->
  (Z.of_nat (match gain with None => 3 | Some _ => 5 end + length bias) <= c)%Z -> norm_entry x mu dev gain bias y ->
  let g := match gain with None => 1 | Some g => g end in
  Rabs (y - (g * (x + - mu) / dev + total (fun x => x) bias))
    <= (power (1 / (1 - u)) c - 1) * (Rabs g * Rabs (x + - mu) / dev + total Rabs bias).
Proof.
  intros c x mu dev gain bias y p h (q & hq & k) g. assert (pd := positive_held dev p).
  assert (facts : sound q /\ exact q = g * (x + - mu) / dev /\ size q = Rabs g * Rabs (x + - mu) / dev
                  /\ (1 <= count q <= match gain with None => 3 | Some _ => 5 end)%nat).
  { subst g. destruct gain as [g |]; [destruct hq as [d | (a & d & ->)] |].
    - destruct (divided_facts (Times (Stored g) (Stored (x + - mu))) (Held dev) q (conj I I) pd d)
      as (h1 & h2 & h3 & h4).
      cbn [exact size count] in *. repeat split; auto. inversion d; simpl; lia.
    - destruct (divided_facts (Stored (x + - mu)) (Held dev) a I pd d) as (h1 & h2 & h3 & h4).
      cbn [exact size count sound] in *. rewrite h2, h3. repeat split; auto; try lia; unfold Rdiv; ring.
    - destruct (divided_facts (Stored (x + - mu)) (Held dev) q I pd hq) as (h1 & h2 & h3 & h4).
      cbn [exact size count] in *. rewrite h2, h3, Rabs_R1, !Rmult_1_l. repeat split; auto. inversion hq; simpl; lia. }
  destruct facts as (h1 & <- & <- & h4 & h5). apply added_to; auto. destruct gain; lia.
Qed.
End Blocks.

(* --- Stored models, in the words of statements -------------------------------------------------------------------- *)
(* majority: two words, and a mean of one number *)
(* majority: two words, and a mean of one number *)
Record majority_machine (u : R) (n : Z) (w : Z -> Z) (vote mean : Z -> R) : Prop := {
  majority_words : forall i : Z, 1 <= i <= n -> vote i = ind (IZR (w i) = 0) + - ind (IZR (w i) = 1);
  majority_mean : forall i : Z, 1 <= i <= n -> averaged u (fun j => Held (vote j)) (window 1 i) (Stored i) (mean i)
}.

(* FIRST of Chiang and Cholak: a hidden unit, and softmax attention *)
Record first_machine (c u : R) (n : Z) (w : Z -> Z) (zero one cls start hit s unit : Z -> R) (score : Z -> Z -> R)
  (shift : Z -> R) (away share : Z -> Z -> R) (sums : Z -> R) : Prop := {
  first_zero : forall i : Z, 0 <= i <= n - 1 -> zero i = ind (IZR (w i) = 0);
  first_one : forall i : Z, 0 <= i <= n - 1 -> one i = ind (IZR (w i) = 1);
  first_cls : forall i : Z, 0 <= i <= n - 1 -> cls i = ind (IZR (w i) = 2);
  first_start : forall i : Z, 0 <= i <= n - 1 -> start i = ind (IZR i = 1);
  first_unit : forall i : Z, 0 <= i <= n - 1 ->
    added u [Scaled (-1) (Held (zero i)); Scaled (-1) (Held (cls i)); Held (start i)] (unit i);
  first_hit : forall i : Z, 0 <= i <= n - 1 -> hit i = relu (unit i);
  first_score : forall i : Z, 0 <= i <= n - 1 -> forall j : Z, 0 <= j <= n - 1 ->
    computes u (Times (Stored (sqrt 6 / 6)) (Times (Times (Stored (c * sqrt 6)) (Held (cls i))) (Held (start j))))
      (score i j);
  first_weights : forall i : Z, 0 <= i <= n - 1 ->
    softmax_row u (window 0 (n - 1)) (score i) (shift i) (away i) (share i) (sums i);
  first_mean : forall i : Z, 0 <= i <= n - 1 ->
    averaged u (fun j => Times (Held (share i j)) (Stored (- (1 / 2) * start j + hit j))) (window 0 (n - 1))
      (Held (sums i)) (s i)
}.

(* lookup-quadratic: tables of positions, and attention to the largest scores *)
Record lookup_machine (u : R) (n : Z) (query value one index square found : Z -> R) (score : Z -> Z -> R) : Prop := {
  lookup_one : forall i : Z, 1 <= i <= n -> one i = 1;
  lookup_index : forall i : Z, 1 <= i <= n -> computes u (Stored i) (index i);
  lookup_square : forall i : Z, 1 <= i <= n -> computes u (Stored (i ^ 2)) (square i);
  lookup_score : forall i : Z, 1 <= i <= n -> forall j : Z, 1 <= j <= n ->
    added u [Times (Held (query i)) (Scaled 2 (Held (index j))); Times (Held (one i)) (Scaled (-1) (Held (square j)))]
      (score i j);
  lookup_found : forall i : Z, 1 <= i <= n -> averaged_hard u 1 n (score i) (fun j => Held (value j)) (found i)
}.

(* max: a hidden unit, and the sum of three *)
Record max_machine (u x y out unit : R) : Prop := {
  max_unit : computes u (Stored (- x + y)) unit;
  max_out : added u [Held (relu x); Scaled (-1) (Held (relu (- x))); Held (relu unit)] out
}.

(* max-by-gelu: three gelu units with weights *)
Record gelu_machine (c u x y out unit unit_ unit__ : R) : Prop := {
  gelu_first : computes u (Times (Stored c) (Held x)) unit;
  gelu_second : computes u (Times (Stored (- c)) (Held x)) unit_;
  gelu_third : added u [Times (Stored (- c)) (Held x); Times (Stored c) (Held y)] unit__;
  gelu_out : exists a b d, gelu_unit u unit a /\ gelu_unit u unit_ b /\ gelu_unit u unit__ d
    /\ added u [Times (Stored (1 / c)) (Held a); Times (Stored (- (1 / c))) (Held b);
      Times (Stored (1 / c)) (Held d)] out
}.

(* sign-norm: a layer norm of two numbers, without a gain, a bias or an epsilon *)
Record sign_norm_machine (u x y z1_x z1_y mu1 dev1 y1_x y1_y under : R) : Prop := {
  sign_x : z1_x = x;
  sign_y : z1_y = y;
  sign_mean : exists t, divided (Stored (z1_x + z1_y)) (Stored 2) t /\ computes u t mu1;
  sign_variance : norm_variance u [z1_x; z1_y] [] mu1 under;
  sign_deviation : norm_deviation u under dev1;
  sign_entry_x : dev1 <> 0 -> norm_entry u z1_x mu1 dev1 None [] y1_x;
  sign_zero_x : dev1 = 0 -> y1_x = 0;
  sign_entry_y : dev1 <> 0 -> norm_entry u z1_y mu1 dev1 None [] y1_y;
  sign_zero_y : dev1 = 0 -> y1_y = 0
}.

Section Inside.
Variable u : R.
Hypothesis unit_range : 0 <= u < 1.

Ltac whole := repeat match goal with h : _ <= _ <= _ |- _ => destruct h end; rewrite <- ?minus_IZR in *;
  repeat match goal with h : IZR _ <= IZR _ |- _ => apply le_IZR in h end; lia.
Ltac zero_terms := simpl; auto with arith.
Lemma added_as : forall (c : Z) l x k T S, added u l x -> Forall sound l -> Forall (fun a => count a <= k)%nat l ->
  (Z.of_nat (k + (length l - 1)) <= c)%Z -> total exact l = T -> total size l = S ->
  Rabs (x - T) <= (power (1 / (1 - u)) c - 1) * S.
Proof. intros c l x k T S h s n p <- <-. now apply added_stated with k. Qed.
Lemma minus_one : Rabs (-1) = 1.
Proof. rewrite Rabs_left; lra. Qed.
Lemma replaced : forall l k x, Forall2 (fun a b => forall z, computes u a z -> computes u b z) l k -> added u l x ->
  added u k x.
Proof.
  intros l k x f (t & b & c). revert k x f c.
  induction b as [t | l a k' b' m _ ih1 _ ih2 p]; intros k x f c.
  - inversion f; subst. match goal with g : Forall2 _ [] _ |- _ => inversion g; subst end.
    eexists. split; [apply single | auto].
  - destruct (Permutation_Forall2 p f) as (k2 & p2 & f2). apply Forall2_app_inv_l in f2 as (ka & kb & fa & fb & ->).
    inversion c; subst.
    match goal with i : computes u a _ |- _ => destruct (ih1 _ _ fa i) as (ta & ba & ca) end.
    match goal with i : computes u b' _ |- _ => destruct (ih2 _ _ fb i) as (tb & bb & cb) end.
    exists (Plus ta tb). split; [now apply joined with ka kb | now apply plus with x0 y].
Qed.
Lemma relu_size : forall x, Rabs (relu x) = relu x.
Proof. intros. apply Rabs_pos_eq, Rmax_l. Qed.

Theorem majority_inside : forall n w vote mean, majority_machine u n w vote mean ->
  (forall i : Z, 1 <= i <= n -> vote i = ind (IZR (w i) = 0) + - ind (IZR (w i) = 1)) /\
  (forall i : Z, 1 <= i <= n -> Rabs (mean i - sum 1 i (fun j => vote j) / i)
     <= (power (1 / (1 - u)) (i + 2) - 1) * (sum 1 i (fun j => Rabs (vote j)) / i)).
Proof.
  intros n w vote mean m. split; intros i h.
  - now apply (majority_words _ _ _ _ _ m).
  - apply (mean_stated u unit_range (i + 2) (fun j => Held (vote j)) 1 i (Stored i) (mean i) 0).
    + whole.
    + apply positive_stored, IZR_lt. whole.
    + zero_terms.
    + cbn [count]. lia.
    + now apply (majority_mean _ _ _ _ _ m).
Qed.

Theorem first_inside : forall c n w zero one cls start hit s unit score shift away share sums,
  first_machine c u n w zero one cls start hit s unit score shift away share sums ->
  (forall i : Z, 0 <= i <= n - 1 -> zero i = ind (IZR (w i) = 0))
  /\ (forall i : Z, 0 <= i <= n - 1 -> one i = ind (IZR (w i) = 1))
  /\ (forall i : Z, 0 <= i <= n - 1 -> cls i = ind (IZR (w i) = 2))
  /\ (forall i : Z, 0 <= i <= n - 1 -> start i = ind (IZR i = 1))
  /\ (forall i : Z, 0 <= i <= n - 1 -> Rabs (unit i - (- zero i + - cls i + start i))
        <= (power (1 / (1 - u)) 2 - 1) * (Rabs (zero i) + Rabs (cls i) + Rabs (start i)))
  /\ (forall i : Z, 0 <= i <= n - 1 -> hit i = relu (unit i))
  /\ (forall i : Z, 0 <= i <= n - 1 -> forall j : Z, 0 <= j <= n - 1 ->
        Rabs (score i j - sqrt 6 / 6 * (c * sqrt 6 * cls i * start j))
        <= (power (1 / (1 - u)) 5 - 1) * (Rabs (sqrt 6 / 6) * (Rabs (c * sqrt 6) * Rabs (cls i) * Rabs (start j))))
  /\ (forall i : Z, 0 <= i <= n - 1 -> forall j : Z, 0 <= j <= n - 1 ->
        Rabs (away i j - (score i j - shift i)) <= (power (1 / (1 - u)) 3 - 1) * Rabs (score i j - shift i))
  /\ (forall i : Z, 0 <= i <= n - 1 -> forall j : Z, 0 <= j <= n - 1 ->
        Rabs (share i j - exp (away i j)) <= (power (1 / (1 - u)) 4 - 1) * exp (away i j))
  /\ (forall i : Z, 0 <= i <= n - 1 -> Rabs (sums i - sum 0 (n - 1) (fun j => share i j))
        <= (power (1 / (1 - u)) (n - 1) - 1) * sum 0 (n - 1) (fun j => Rabs (share i j)))
  /\ (forall i : Z, 0 <= i <= n - 1 ->
        Rabs (s i - sum 0 (n - 1) (fun j => share i j * (- (1 / 2) * start j + hit j)) / sums i)
        <= (power (1 / (1 - u)) (n + 3) - 1)
           * (sum 0 (n - 1) (fun j => Rabs (share i j) * Rabs (- (1 / 2) * start j + hit j)) / sums i)).
Proof.
  intros c n w zero one cls start hit s unit score shift away share sums m.
  assert (row : forall i j : Z, 0 <= i <= n - 1 -> 0 <= j <= n - 1 -> exponential u (score i j) (shift i) (away i j)
    (share i j)).
  { intros i j h k. apply (powers _ _ _ _ _ _ _ (first_weights _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m i h)).
    apply in_map_iff. exists (Z.to_nat j). split; [whole |]. apply in_seq. whole. }
  repeat match goal with |- _ /\ _ => split end; intros i h; try intros j k.
  - now apply (first_zero _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
  - now apply (first_one _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
  - now apply (first_cls _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
  - now apply (first_start _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
  - eapply added_as with (k := O); [now apply (first_unit _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m) | ..].
    + repeat constructor.
    + repeat constructor.
    + simpl. lia.
    + simpl. ring.
    + simpl. rewrite minus_one. ring.
  - now apply (first_hit _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
  - apply (tree_stated u unit_range 5 (Times (Stored (sqrt 6 / 6))
      (Times (Times (Stored (c * sqrt 6)) (Held (cls i))) (Held (start j))))); [simpl; tauto | simpl; lia |].
    now apply (first_score _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
  - now apply (exponential_stated u unit_range _ _ _ _ (row i j h k)).
  - now apply (exponential_stated u unit_range _ _ _ _ (row i j h k)).
  - apply (shares_stated u unit_range) with (score i) (shift i) (away i); [whole | lia |].
    now apply (first_weights _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
  - apply (mean_stated u unit_range (n + 3) (fun j => Times (Held (share i j)) (Stored (- (1 / 2) * start j + hit j)))
      0 (n - 1) (Held (sums i)) (s i) 2).
    + whole.
    + apply positive_held. eapply shares_positive; [exact unit_range |].
      now apply (first_weights _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
    + zero_terms.
    + cbn [count]. lia.
    + now apply (first_mean _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ m).
Qed.

Theorem lookup_inside : forall n query value one index square found score,
  lookup_machine u n query value one index square found score ->
  (forall i : Z, 1 <= i <= n -> one i = 1)
  /\ (forall i : Z, 1 <= i <= n -> Rabs (index i - i) <= (power (1 / (1 - u)) 1 - 1) * Rabs i)
  /\ (forall i : Z, 1 <= i <= n -> Rabs (square i - i ^ 2) <= (power (1 / (1 - u)) 1 - 1) * Rabs (i ^ 2))
  /\ (forall i : Z, 1 <= i <= n -> forall j : Z, 1 <= j <= n ->
        Rabs (score i j - (query i * (2 * index j) + one i * - square j))
        <= (power (1 / (1 - u)) 2 - 1) * (Rabs (query i) * (2 * Rabs (index j)) + Rabs (one i) * Rabs (square j)))
  /\ (forall i : Z, 1 <= i <= n ->
        Rabs (found i - sum 1 n (fun j => ind (forall k : Z, 1 <= k <= n -> score i k <= score i j) * value j)
                        / sum 1 n (fun j => ind (forall k : Z, 1 <= k <= n -> score i k <= score i j)))
        <= (power (1 / (1 - u)) (sum_Z 1 n (fun j => ind_Z (forall k : Z, 1 <= k <= n -> score i k <= score i j)) +
          2) - 1)
           * (sum 1 n (fun j => ind (forall k : Z, 1 <= k <= n -> score i k <= score i j) * Rabs (value j))
              / sum 1 n (fun j => ind (forall k : Z, 1 <= k <= n -> score i k <= score i j)))).
Proof.
  intros n query value one index square found score m.
  repeat match goal with |- _ /\ _ => split end; intros i h; try intros j k.
  - now apply (lookup_one _ _ _ _ _ _ _ _ _ m).
  - apply (tree_stated u unit_range 1 (Stored i)); [exact I | simpl; lia |].
    now apply (lookup_index _ _ _ _ _ _ _ _ _ m).
  - apply (tree_stated u unit_range 1 (Stored (i ^ 2))); [exact I | simpl; lia |].
    now apply (lookup_square _ _ _ _ _ _ _ _ _ m).
  - eapply added_as with (k := 1%nat); [now apply (lookup_score _ _ _ _ _ _ _ _ _ m) | ..].
    + repeat constructor.
    + repeat constructor.
    + simpl. lia.
    + simpl. ring.
    + simpl. rewrite minus_one, (Rabs_pos_eq 2) by lra. ring.
  - apply (hard_stated u unit_range 2 1 n (score i) (fun j => Held (value j)) (found i) 0); [zero_terms | simpl; lia |].
    now apply (lookup_found _ _ _ _ _ _ _ _ _ m).
Qed.

Theorem max_inside : forall x y out unit, max_machine u x y out unit ->
  Rabs (unit - (- x + y)) <= (power (1 / (1 - u)) 1 - 1) * Rabs (- x + y)
  /\ Rabs (out - (relu x + - relu (- x) + relu unit))
     <= (power (1 / (1 - u)) 2 - 1) * (relu x + relu (- x) + relu unit).
Proof.
  intros x y out unit [h k]. split.
  - apply (tree_stated u unit_range 1 (Stored (- x + y))); [exact I | simpl; lia | assumption].
  - eapply added_as with (k := O); [exact k | repeat constructor | repeat constructor | simpl; lia | simpl; ring |].
    simpl. rewrite minus_one, !relu_size. ring.
Qed.

Theorem gelu_inside : forall c x y out unit unit_ unit__, gelu_machine c u x y out unit unit_ unit__ ->
  Rabs (unit - c * x) <= (power (1 / (1 - u)) 2 - 1) * (Rabs c * Rabs x)
  /\ Rabs (unit_ - - c * x) <= (power (1 / (1 - u)) 2 - 1) * (Rabs (- c) * Rabs x)
  /\ Rabs (unit__ - (- c * x + c * y)) <= (power (1 / (1 - u)) 3 - 1) * (Rabs (- c) * Rabs x + Rabs c * Rabs y)
  /\ Rabs (out - (1 / c * (unit / 2 * (1 + erf (unit / sqrt 2))) + - (1 / c) * (unit_ / 2 * (1 + erf (unit_ / sqrt 2)))
                  + 1 / c * (unit__ / 2 * (1 + erf (unit__ / sqrt 2)))))
     <= (power (1 / (1 - u)) 13 - 1)
        * (Rabs (1 / c) * (Rabs (unit / 2) * (1 + Rabs (erf (unit / sqrt 2))))
           + Rabs (- (1 / c)) * (Rabs (unit_ / 2) * (1 + Rabs (erf (unit_ / sqrt 2))))
           + Rabs (1 / c) * (Rabs (unit__ / 2) * (1 + Rabs (erf (unit__ / sqrt 2))))).
Proof.
  intros c x y out unit unit_ unit__ [h1 h2 h3 (a & b & d & ga & gb & gd & h)].
  repeat match goal with |- _ /\ _ => split end.
  - apply (tree_stated u unit_range 2 (Times (Stored c) (Held x))); [simpl; tauto | simpl; lia | assumption].
  - apply (tree_stated u unit_range 2 (Times (Stored (- c)) (Held x))); [simpl; tauto | simpl; lia | assumption].
  - eapply added_as with (k := 2%nat); [exact h3 | repeat constructor | repeat constructor | simpl; lia | |]; simpl;
    ring.
  - destruct (gelu_facts unit) as (s1 & c1 & e1 & z1), (gelu_facts unit_) as (s2 & c2 & e2 & z2).
    destruct (gelu_facts unit__) as (s3 & c3 & e3 & z3).
    assert (weighed : forall w v t, gelu_unit u v t -> forall z, computes u (Times (Stored w) (Held t)) z ->
      computes u (Times (Stored w) (gelu_tree v)) z).
    { intros w v t g z k. inversion k; subst. match goal with i : computes u (Held t) _ |- _ => inversion i; subst end.
      eapply times; [eassumption | | eassumption]. now apply gelu_computes. }
    apply (added_as 13 [Times (Stored (1 / c)) (gelu_tree unit); Times (Stored (- (1 / c))) (gelu_tree unit_);
      Times (Stored (1 / c)) (gelu_tree unit__)] out 11).
    + destruct h as (t & hb & hc).
      apply (replaced [Times (Stored (1 / c)) (Held a); Times (Stored (- (1 / c))) (Held b);
        Times (Stored (1 / c)) (Held d)]
        [Times (Stored (1 / c)) (gelu_tree unit); Times (Stored (- (1 / c))) (gelu_tree unit_);
         Times (Stored (1 / c)) (gelu_tree unit__)]); [| now exists t].
      repeat constructor; now apply weighed.
    + repeat constructor; simpl; auto.
    + repeat constructor; cbn [count]; rewrite ?c1, ?c2, ?c3; auto.
    + cbn [length]. lia.
    + cbn [total exact]. rewrite e1, e2, e3. ring.
    + cbn [total size]. rewrite z1, z2, z3. ring.
Qed.

Theorem sign_norm_inside : forall x y z1_x z1_y mu1 dev1 y1_x y1_y under,
  sign_norm_machine u x y z1_x z1_y mu1 dev1 y1_x y1_y under ->
  z1_x = x /\ z1_y = y
  /\ Rabs (mu1 - (z1_x + z1_y) / 2) <= (power (1 / (1 - u)) 4 - 1) * (Rabs (z1_x + z1_y) / 2)
  /\ Rabs (under - ((z1_x + - mu1) * (z1_x + - mu1) + (z1_y + - mu1) * (z1_y + - mu1)) / 2)
     <= (power (1 / (1 - u)) 7 - 1)
        * ((Rabs (z1_x + - mu1) * Rabs (z1_x + - mu1) + Rabs (z1_y + - mu1) * Rabs (z1_y + - mu1)) / 2)
  /\ Rabs (dev1 - sqrt under) <= (power (1 / (1 - u)) 1 - 1) * sqrt under
  /\ (dev1 <> 0 -> Rabs (y1_x - (z1_x + - mu1) / dev1) <= (power (1 / (1 - u)) 3 - 1) * (Rabs (z1_x + - mu1) / dev1))
  /\ (dev1 = 0 -> y1_x = 0)
  /\ (dev1 <> 0 -> Rabs (y1_y - (z1_y + - mu1) / dev1) <= (power (1 / (1 - u)) 3 - 1) * (Rabs (z1_y + - mu1) / dev1))
  /\ (dev1 = 0 -> y1_y = 0).
Proof.
  intros x y z1_x z1_y mu1 dev1 y1_x y1_y under [hx hy (t & d & k) v dv ex zx ey zy].
  assert (p := norm_variance_positive u unit_range _ _ _ _ (Forall_nil _) v).
  destruct (norm_deviation_stated u unit_range _ _ p dv) as [d1 d2].
  assert (entry : forall z y, norm_entry u z mu1 dev1 None [] y -> dev1 <> 0 ->
    Rabs (y - (z + - mu1) / dev1) <= (power (1 / (1 - u)) 3 - 1) * (Rabs (z + - mu1) / dev1)).
  { intros z y' h n. assert (pos : 0 < dev1) by lra.
    assert (f := norm_entry_stated u unit_range 3 z mu1 dev1 None [] y' pos (Z.le_refl 3) h). cbn [total] in f.
    rewrite Rabs_R1, !Rmult_1_l, !Rplus_0_r in f. exact f. }
  repeat match goal with |- _ /\ _ => split end; auto.
  - destruct (divided_facts (Stored (z1_x + z1_y)) (Stored 2) t I (positive_stored 2 Rlt_0_2) d) as (h1 & h2 & h3 & h4).
    cbn [exact size count] in *. rewrite <- h2, <- h3.
      apply (tree_stated u unit_range); [assumption | lia | assumption].
  - assert (f := norm_variance_stated u unit_range 7 [z1_x; z1_y] [] mu1 under (Z.le_refl 7) v).
    cbn [total length INR] in f. rewrite !Rplus_0_r in f. exact f.
Qed.
End Inside.

(* --- A wrong relation --------------------------------------------------------------------------------------------- *)
(* the first mean of majority takes its three roundings: with one less in the relation, some machine is outside *)
Theorem one_rounding_less_is_not_met : forall u, 0 < u <= 1 / 2 -> exists (w : Z -> Z) (vote mean : Z -> R),
  majority_machine u 1 w vote mean /\
  ~ Rabs (mean 1%Z - sum 1 1 (fun j => vote j) / 1)
    <= (power (1 / (1 - u)) (1 + 1) - 1) * (sum 1 1 (fun j => Rabs (vote j)) / 1).
Proof.
  intros u h. set (g := / (1 - u)).
  assert (g1 : g * (1 - u) = 1) by (unfold g; rewrite Rinv_l; lra).
    assert (pos : 0 < g) by (unfold g; apply Rinv_0_lt_compat; lra).
  exists (fun _ => 0%Z), (fun _ => 1), (fun _ => (1 + u) * (1 + u) * g).
  assert (yes : ind (0 = 0) + - ind (0 = 1) = 1).
  { unfold ind. destruct (excluded_middle_informative (0 = 0)); [| lra].
    destruct (excluded_middle_informative (0 = 1)); lra. }
  split; [split; intros i k; [now rewrite yes |] |].
  - assert (i = 1%Z) as -> by (destruct k as [a b]; apply le_IZR in a, b; lia).
    exists (Times (Held 1) (Over (Held 1) (Stored 1))). split.
    + apply divided_last with (Held 1); [apply single | apply by_inverse].
    + assert (up : forall x, 0 < x -> rounds u x (x * (1 + u))).
      { intros x p. apply relative_error_rounds; [lra |]. rewrite !Rabs_pos_eq; nra. }
      replace ((1 + u) * (1 + u) * g) with (1 * (1 / (1 - u) * (1 + u)) * (1 + u)) by (unfold g; field; lra).
      apply times with 1 (1 / (1 - u) * (1 + u)); [apply held | |].
      * apply over with 1 (1 - u); [apply held | | apply up].
        -- apply stored, relative_error_rounds; [lra |]. rewrite Rabs_left, Rabs_pos_eq; lra.
        -- apply Rdiv_lt_0_compat; lra.
      * apply up. fold g. unfold Rdiv. fold g. nra.
  - unfold sum, power. simpl. rewrite Rabs_R1, !Rplus_0_l. unfold Rdiv. rewrite Rinv_1, !Rmult_1_l, !Rmult_1_r. fold g.
    intros k. apply Rabs_le_between in k. nra.
Qed.
