(* The run of a family's model has the family's relation, at all sizes: what parts made by functions.v do to a stream,
   and the tactics by which tests/coq/coqrelation.py proves each equation. The same few serve every family: a form is
   read off as a weighted sum of coordinates (meant), what a part writes is found in its blocks (picked, missed), and a
   head, a norm or a network then gives the value behind it. Nothing here is trusted. *)
From Coq Require Import DecimalString DecimalZ Reals ZArith QArith Qreals Qpower Lia Lra List String Ascii.
From Coq Require Import Permutation FinFun FunctionalExtensionality ClassicalEpsilon Classical_Prop.
From Symcook Require Import Meaning Laws Model functions.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

(* --- Numbers. *)
Lemma real_Q2R : forall q, real q = Q2R q.
Proof.
  intros [a b]. unfold real, Q2R. cbn [Qnum Qden].
  assert (one : forall x, x = x * / 1) by (intros; lra).
  destruct b as [b|b|], a as [|a|a]; try reflexivity; try apply one; unfold Rdiv; try ring;
    change (IZR (Z.neg a)) with (- IZR (Z.pos a)); ring.
Qed.
Lemma real_same : forall a b, Qeq_bool a b = true -> real a = real b.
Proof. intros a b h. rewrite !real_Q2R. apply Qeq_eqR. now apply Qeq_bool_iff. Qed.
Lemma real_red : forall q, real (Qred q) = real q.
Proof. intros q. rewrite !real_Q2R. apply Qeq_eqR, Qred_correct. Qed.
Lemma real_zero : forall q, zero q = true -> real q = 0.
Proof. intros q h. rewrite (real_same q 0 h). reflexivity. Qed.
Lemma real_plus : forall a b, real (a + b) = real a + real b.
Proof. intros. rewrite !real_Q2R. apply Q2R_plus. Qed.
Lemma real_times : forall a b, real (a * b) = real a * real b.
Proof. intros. rewrite !real_Q2R. apply Q2R_mult. Qed.
Lemma real_minus : forall a b, real (a - b) = real a - real b.
Proof. intros. rewrite !real_Q2R. apply Q2R_minus. Qed.
Lemma real_neg : forall a, real (- a) = - real a.
Proof. intros. rewrite !real_Q2R. apply Q2R_opp. Qed.
Lemma real_inverse : forall a, real (/ a) = / real a.
Proof.
  intros a. destruct (zero a) eqn:z.
  - rewrite (real_zero a z), Rinv_0. apply real_zero. unfold zero in *. apply Qeq_bool_iff in z. apply Qeq_bool_iff.
    rewrite z. reflexivity.
  - rewrite !real_Q2R. apply Q2R_inv. now apply Qeq_bool_neq.
Qed.
Lemma real_over : forall a b, real (a / b) = real a / real b.
Proof. intros. unfold Qdiv. now rewrite real_times, real_inverse. Qed.
Lemma real_whole : forall z, real (inject_Z z) = IZR z.
Proof. intros z. rewrite real_Q2R. unfold Q2R, inject_Z. cbn [Qnum Qden]. lra. Qed.

(* --- Sums over lists. *)
Fixpoint adds {A} (f : A -> R) (l : list A) : R := match l with nil => 0 | x :: l => f x + adds f l end.
Lemma adds_app : forall A (f : A -> R) l r, adds f (l ++ r) = adds f l + adds f r.
Proof. intros A f l r. induction l as [|x l ih]; cbn; [ring | rewrite ih; ring]. Qed.
Lemma adds_flat : forall A B (f : B -> R) (g : A -> list B) l, adds f (flat_map g l) = adds (fun x => adds f (g x)) l.
Proof. intros A B f g l. induction l as [|x l ih]; cbn; [reflexivity | now rewrite adds_app, ih]. Qed.
Lemma adds_map : forall A B (f : B -> R) (g : A -> B) l, adds f (map g l) = adds (fun x => f (g x)) l.
Proof. intros A B f g l. induction l as [|x l ih]; cbn; [reflexivity | now rewrite ih]. Qed.
Lemma adds_same : forall A (f g : A -> R) l, (forall x, In x l -> f x = g x) -> adds f l = adds g l.
Proof. intros A f g l h. induction l as [|x l ih]; cbn; [reflexivity|]. rewrite h, ih; trivial; [intros; apply h; now
  right | now left]. Qed.
Lemma adds_none : forall A (f : A -> R) l, (forall x, In x l -> f x = 0) -> adds f l = 0.
Proof. intros A f l h. induction l as [|x l ih]; cbn; [reflexivity|]. rewrite h, ih; [ring | intros; apply h; now right
  | now left]. Qed.
Lemma adds_plus : forall A (f g : A -> R) l, adds (fun x => f x + g x) l = adds f l + adds g l.
Proof. intros A f g l. induction l as [|x l ih]; cbn; [ring | rewrite ih; ring]. Qed.
Lemma adds_by : forall A (f : A -> R) c l, adds (fun x => c * f x) l = c * adds f l.
Proof. intros A f c l. induction l as [|x l ih]; cbn; [ring | rewrite ih; ring]. Qed.
Lemma adds_perm : forall A (f : A -> R) l r, Permutation l r -> adds f l = adds f r.
Proof. intros A f l r h. induction h; cbn; try lra. Qed.
Lemma in_upto : forall a b k, In k (upto a b) <-> (a <= k <= b)%Z.
Proof.
  intros a b k. unfold upto. rewrite in_map_iff. split.
  - intros [j [<- h]]. apply in_seq in h. lia.
  - intros h. exists (Z.to_nat (k - a)). rewrite in_seq. lia.
Qed.
Lemma adds_upto : forall f a b, adds f (upto a b) = sum a b f.
Proof.
  intros f a b. unfold upto, sum. induction (Z.to_nat (b - a + 1)) as [|k ih]; [reflexivity|].
  rewrite seq_S, map_app, adds_app. cbn [map adds]. rewrite ih. cbn [sum_of]. now rewrite Rplus_0_r.
Qed.
Lemma fold_adds : forall A B (plus : A -> A -> A) (val : A -> R) (f : B -> A) l s,
  (forall a b, val (plus a b) = val a + val b) ->
  val (fold_left (fun s k => plus s (f k)) l s) = val s + adds (fun k => val (f k)) l.
Proof. intros A B plus val f l s h. revert s. induction l as [|x l ih]; intros s; cbn; [ring | rewrite ih, h; ring].
  Qed.
Lemma real_adding : forall f a b, real (adding f a b) = sum a b (fun k => real (f k)).
Proof.
  intros f a b. unfold adding. rewrite <- adds_upto.
  rewrite (fold_adds _ _ (fun a b => Qred (a + b)) real f); [|intros; now rewrite real_red, real_plus].
  unfold real at 1. cbn. ring.
Qed.
Lemma whole_adding : forall f a b, IZR (adding_Z f a b) = sum a b (fun k => IZR (f k)).
Proof.
  intros f a b. unfold adding_Z. rewrite <- adds_upto. rewrite (fold_adds _ _ Z.add IZR f); [|apply plus_IZR]. ring.
Qed.
Lemma whole_one_if : forall (b : bool) (P : Prop), (b = true <-> P) -> IZR (one_if b) = ind P.
Proof.
  intros b P h. unfold one_if. destruct b; symmetry; [apply ind_true; tauto | apply ind_false].
  split; [intros p; apply h in p; discriminate | easy].
Qed.

(* --- Lists without two that are the same, and coefficients. *)
Section Cover.
  Variables (K : Type) (same : K -> K -> bool).
  Hypothesis same_refl : forall a, same a a = true.
  Hypothesis same_sym : forall a b, same a b = true -> same b a = true.
  Hypothesis same_trans : forall a b c, same a b = true -> same b c = true -> same a c = true.
  Fixpoint once_each (l : list K) : Prop :=
    match l with nil => True | k :: l => Forall (fun d => same k d = false) l /\ once_each l end.
  Lemma other : forall a b, same a b = false -> same b a = false.
  Proof. intros a b h. destruct (same b a) eqn:e; [apply same_sym in e; congruence | reflexivity]. Qed.
  Lemma once_perm : forall l r, Permutation l r -> once_each l -> once_each r.
  Proof.
    intros l r h. induction h as [|x l r p ih|x y l|]; cbn; try tauto.
    - intros [a b]. split; [|tauto]. rewrite Forall_forall in *. intros d g. apply a.
      apply (Permutation_in d (Permutation_sym p) g).
    - intros [a [b c]]. repeat split; trivial; [|inversion a; assumption].
      constructor; [|assumption]. inversion a. now apply other.
  Qed.
  Lemma once_once : forall l, once_each (once same l).
  Proof.
    intros l. unfold once. eapply once_perm; [apply Permutation_rev|].
    assert (h : forall s, once_each s -> once_each (fold_left (fun s x => if existsb (same x) s then s else x :: s) l
      s)).
    { induction l as [|x l ih]; intros s h; cbn; [assumption|]. apply ih. destruct (existsb (same x) s) eqn:e;
      [assumption|].
      cbn. split; [|assumption]. rewrite Forall_forall. intros d g. destruct (same x d) eqn:q; [|reflexivity].
      rewrite <- e. symmetry. apply existsb_exists. now exists d. }
    now apply h.
  Qed.
  Lemma in_once : forall l x, In x l -> exists y, In y (once same l) /\ same x y = true.
  Proof.
    intros l x h. unfold once.
    assert (g : forall l s, (forall y, In y s -> In y (fold_left (fun s x => if existsb (same x) s then s else x :: s)
      l s))).
    { induction l0 as [|z l0 ih]; intros s y i; cbn; [assumption|]. apply ih. destruct (existsb (same z) s);
      [assumption | now right]. }
    assert (e : forall l s, In x l -> exists y, In y (fold_left (fun s x => if existsb (same x) s then s else x :: s) l
      s) /\ same x y = true).
    { induction l0 as [|z l0 ih]; intros s i; [destruct i|]. cbn. destruct i as [->|i]; [|now apply ih].
      destruct (existsb (same x) s) eqn:q.
      - apply existsb_exists in q. destruct q as [y [i q]]. exists y. split; [now apply g | assumption].
      - exists x. split; [apply g; now left | apply same_refl]. }
    destruct (e l nil h) as [y [i q]]. exists y. split; [now apply in_rev in i | assumption].
  Qed.
  Lemma once_filter : forall A (f : A -> K) p l, once_each (map f l) -> once_each (map f (filter p l)).
  Proof.
    intros A f p l. induction l as [|x l ih]; [trivial|]. cbn. intros [a b]. destruct (p x); [|auto]. cbn. split;
      [|auto].
    rewrite Forall_forall in *. intros d g. apply a. rewrite in_map_iff in *. destruct g as [y [e g]]. exists y.
    rewrite filter_In in g. tauto.
  Qed.
  Definition coef (f : list (K * Q)) (k : K) : Q :=
    match find (fun e => same (fst e) k) f with Some (_, v) => v | None => 0%Q end.
  Variable val : K -> R.
  Lemma coef_none : forall f c, (forall e, In e f -> same (fst e) c = false) -> coef f c = 0%Q.
  Proof.
    intros f c h. unfold coef. destruct (find (fun e => same (fst e) c) f) as [[k v]|] eqn:e; [|reflexivity].
    apply find_some in e. destruct e as [i e]. rewrite (h _ i) in e. discriminate.
  Qed.
  Lemma single : forall cols k q c, once_each cols -> In c cols -> same k c = true ->
    (forall c, same k c = true -> val c = val k) ->
    adds (fun c => if same k c then q * val c else 0) cols = q * val k.
  Proof.
    intros cols k q c h i s v. induction cols as [|d cols ih]; [destruct i|]. destruct h as [a h]. cbn [adds].
    rewrite Forall_forall in a. destruct (same k d) eqn:e.
    - rewrite adds_none; [rewrite v by assumption; ring|]. intros x j. destruct (same k x) eqn:g; [|reflexivity].
      specialize (a x j). rewrite (same_trans d k x (same_sym _ _ e) g) in a. discriminate.
    - destruct i as [->|i]; [congruence|]. rewrite ih by assumption. ring.
  Qed.
  Lemma cover : forall f cols, (forall a b, same a b = true -> val b = val a) ->
    once_each (map fst f) -> once_each cols -> (forall e, In e f -> exists c, In c cols /\ same (fst e) c = true) ->
    adds (fun c => real (coef f c) * val c) cols = adds (fun e => real (snd e) * val (fst e)) f.
  Proof.
    intros f cols v. induction f as [|[k q] f ih]; intros h o i.
    - cbn. apply adds_none. intros. change (coef [] x) with 0%Q. change (real 0) with 0. ring.
    - destruct h as [a h]. cbn [adds fst snd]. rewrite <- ih by (trivial; intros; apply i; now right).
      destruct (i (k, q) (or_introl eq_refl)) as [c [j e]]. cbn [fst] in e.
      rewrite <- (single cols k (real q) c o j e) by (intros; now apply v).
      rewrite <- adds_plus. apply adds_same. intros x g. unfold coef at 1. cbn [find fst]. destruct (same k x) eqn:s.
      + rewrite (coef_none f x); [change (real 0) with 0; ring|]. intros y l. destruct (same (fst y) x) eqn:z;
        [|reflexivity].
        rewrite Forall_forall in a. rewrite <- (a (fst y)) by now apply in_map.
        symmetry. apply (same_trans _ _ _ s). now apply same_sym.
      + fold (coef f x). ring.
  Qed.
End Cover.

Lemma compare_all_same : forall k l, compare_all k l = Eq <-> k = l.
Proof.
  induction k as [|a k ih]; intros [|b l]; cbn; try easy. destruct (Z.compare_spec a b) as [->|h|h].
  - rewrite ih. split; congruence.
  - split; [discriminate | intros e; injection e; lia].
  - split; [discriminate | intros e; injection e; lia].
Qed.
Lemma string_itself : forall t, String.compare t t = Eq.
Proof. intros t. assert (e := String.compare_antisym t t). now destruct (String.compare t t). Qed.
Lemma same_spot_is : forall c d, same_spot c d = true <-> c = d.
Proof.
  intros [s k] [t l]. unfold same_spot, compare_spot. cbn [fst snd]. destruct (String.compare s t) eqn:e.
  - apply String.compare_eq_iff in e. subst t. destruct (compare_all k l) eqn:g.
    + apply compare_all_same in g. subst. tauto.
    + split; [discriminate | intros h; injection h; intros ->; now rewrite (proj2 (compare_all_same l l) eq_refl) in g].
    + split; [discriminate | intros h; injection h; intros ->; now rewrite (proj2 (compare_all_same l l) eq_refl) in g].
  - split; [discriminate | intros h; injection h; intros _ ->; now rewrite string_itself in e].
  - split; [discriminate | intros h; injection h; intros _ ->; now rewrite string_itself in e].
Qed.
Lemma spot_refl : forall c, same_spot c c = true. Proof. intros c. now apply same_spot_is. Qed.
Lemma spot_sym : forall c d, same_spot c d = true -> same_spot d c = true.
Proof. intros c d h. apply same_spot_is in h. subst. apply spot_refl. Qed.
Lemma spot_trans : forall c d e, same_spot c d = true -> same_spot d e = true -> same_spot c e = true.
Proof. intros c d e h g. apply same_spot_is in h, g. subst. apply spot_refl. Qed.
Lemma same_part_is : forall a b, same_part a b = true <-> a = b.
Proof.
  intros [c|] [d|]; cbn; try easy. rewrite same_spot_is. split; congruence.
Qed.
Lemma part_refl : forall c, same_part c c = true. Proof. intros c. now apply same_part_is. Qed.
Lemma part_sym : forall c d, same_part c d = true -> same_part d c = true.
Proof. intros c d h. apply same_part_is in h. subst. apply part_refl. Qed.
Lemma part_trans : forall c d e, same_part c d = true -> same_part d e = true -> same_part c e = true.
Proof. intros c d e h g. apply same_part_is in h, g. subst. apply part_refl. Qed.
Lemma unit_refl : forall u, same_unit u u = true.
Proof. induction u as [|[a x] u ih]; [reflexivity|]. cbn. rewrite part_refl, ih. cbn. rewrite Bool.andb_true_r. apply
  Qeq_bool_refl. Qed.
Lemma unit_sym : forall u v, same_unit u v = true -> same_unit v u = true.
Proof.
  induction u as [|[a x] u ih]; intros [|[b y] v] h; try easy. cbn in *. rewrite !Bool.andb_true_iff in *.
  destruct h as [[h g] k]. repeat split; auto using part_sym. now apply Qeq_bool_sym.
Qed.
Lemma unit_trans : forall u v w, same_unit u v = true -> same_unit v w = true -> same_unit u w = true.
Proof.
  induction u as [|[a x] u ih]; intros [|[b y] v] [|[c z] w] h g; try easy. cbn in *. rewrite !Bool.andb_true_iff in *.
  destruct h as [[h h1] h2], g as [[g g1] g2]. repeat split.
  - eapply part_trans; eassumption.
  - eapply Qeq_bool_trans; eassumption.
  - eapply ih; eassumption.
Qed.
Lemma key_refl : forall a, same_key a a = true.
Proof. intros [|c|u]; cbn; auto using spot_refl, unit_refl. Qed.
Lemma key_sym : forall a b, same_key a b = true -> same_key b a = true.
Proof. intros [|c|u] [|d|v]; cbn; auto using spot_sym, unit_sym. Qed.
Lemma key_trans : forall a b c, same_key a b = true -> same_key b c = true -> same_key a c = true.
Proof. intros [|c|u] [|d|v] [|e|w]; cbn; try easy; eauto using spot_trans, unit_trans. Qed.

(* --- What a form is, of values of coordinates. *)
Definition part_value (v : spot -> R) (c : option spot) : R := match c with Some c => v c | None => 1 end.
Definition unit_value (u : unit_) (v : spot -> R) : R := adds (fun e => real (snd e) * part_value v (fst e)) u.
Definition key_value (v : spot -> R) (k : key) : R :=
  match k with Alone => 1 | Reads c => v c | Relu u => relu (unit_value u v) end.
Definition eval (f : form) (v : spot -> R) : R := adds (fun e => real (snd e) * key_value v (fst e)) f.
Lemma unit_value_same : forall u w v, same_unit u w = true -> unit_value w v = unit_value u v.
Proof.
  induction u as [|[a x] u ih]; intros [|[b y] w] v h; try easy. cbn in *. rewrite !Bool.andb_true_iff in h.
  destruct h as [[h g] k]. unfold unit_value in *. cbn [adds fst snd]. apply same_part_is in h. subst b.
  now rewrite (real_same _ _ g), (ih w).
Qed.
Lemma key_value_same : forall v a b, same_key a b = true -> key_value v b = key_value v a.
Proof.
  intros v [|c|u] [|d|w] h; try easy; cbn in *.
  - apply same_spot_is in h. now subst.
  - now rewrite (unit_value_same _ _ _ h).
Qed.
Definition unique (f : form) : Prop := once_each _ same_key (map fst f).
Definition all_keys (P : key -> Prop) (f : form) : Prop := Forall (fun e => P (fst e)) f.
Definition means (P : key -> Prop) (f : form) (r : (spot -> R) -> R) : Prop :=
  unique f /\ all_keys P f /\ forall v, eval f v = r v.

Lemma keys_put : forall f e k, In k (map fst (put f e)) -> In k (map fst f) \/ k = fst e.
Proof.
  intros f e k. induction f as [|[a x] f ih]; cbn.
  - intros [<-|[]]. now right.
  - destruct (same_key a (fst e)); cbn; intuition.
Qed.
Lemma put_means : forall P f e, unique f -> all_keys P f -> P (fst e) -> unique (put f e) /\ all_keys P (put f e) /\
  forall v, eval (put f e) v = eval f v + real (snd e) * key_value v (fst e).
Proof.
  intros P f e. induction f as [|[a x] f ih]; intros u p q.
  - repeat split; [constructor | now constructor | intros v; unfold eval; cbn; ring].
  - destruct u as [n u]. inversion p as [|? ? pa pf]. subst. cbn [put]. destruct (same_key a (fst e)) eqn:s.
    + repeat split; trivial; [now constructor|]. intros v. unfold eval. cbn [adds fst snd].
      rewrite real_red, real_plus, (key_value_same v _ _ s). ring.
    + destruct (ih u pf q) as [u' [p' v']]. repeat split.
      * cbn [map fst]. rewrite Forall_forall in *. intros d i. apply keys_put in i. destruct i as [i| ->]; [now apply n
        | assumption].
      * assumption.
      * constructor; assumption.
      * intros v. unfold eval in *. cbn [adds fst snd]. rewrite v'. ring.
Qed.
Lemma means_number : forall (P : key -> Prop) q, P Alone -> means P (number q) (fun _ => real q).
Proof.
  intros P q h. unfold number. destruct (zero q) eqn:z.
  - repeat split; [constructor | intros v; unfold eval; cbn; now rewrite real_zero].
  - repeat split; [constructor | now constructor | intros v; unfold eval; cbn; rewrite real_red; ring].
Qed.
Lemma means_nothing : forall (P : key -> Prop), means P (number (inject_Z 0)) (fun _ => 0).
Proof. intros P. repeat split; constructor. Qed.
Lemma means_at : forall (P : key -> Prop) s k, P (Reads (s, k)) -> means P (at_ s k) (fun v => v (s, k)).
Proof.
  intros P s k h. repeat split; [constructor | now constructor|]. intros v. unfold eval. cbn. change (real 1) with 1.
    ring.
Qed.
Lemma put_all : forall P g f, unique f -> all_keys P f -> all_keys P g -> unique (fold_left put g f) /\
  all_keys P (fold_left put g f) /\ forall v, eval (fold_left put g f) v = eval f v + eval g v.
Proof.
  intros P g. induction g as [|e g ih]; intros f u p q.
  - repeat split; trivial. intros v. cbn [fold_left]. change (eval [] v) with 0. ring.
  - inversion q as [|? ? qe qg]. subst. destruct (put_means P f e u p qe) as [u' [p' v']].
    destruct (ih (put f e) u' p' qg) as [u2 [p2 v2]]. repeat split; trivial. intros v. cbn [fold_left]. rewrite v2, v'.
    change (eval (e :: g) v) with (real (snd e) * key_value v (fst e) + eval g v). ring.
Qed.
Lemma means_plus : forall P f g a b, means P f a -> means P g b -> means P (plus_f f g) (fun v => a v + b v).
Proof.
  intros P f g a b [u [p e]] [u' [p' e']]. destruct (put_all P g f u p p') as [u2 [p2 e2]].
  repeat split; trivial. intros v. unfold plus_f. now rewrite e2, e, e'.
Qed.
Lemma means_times : forall P q f a, means P f a -> means P (times_f q f) (fun v => real q * a v).
Proof.
  intros P q f a [u [p e]]. unfold times_f. repeat split.
  - unfold unique. rewrite map_map. exact u.
  - unfold all_keys in *. rewrite Forall_map. exact p.
  - intros v. rewrite <- e. unfold eval. rewrite adds_map, <- adds_by. apply adds_same. intros x _. cbn [fst snd].
    rewrite real_red, real_times. ring.
Qed.
Lemma means_neg : forall P f a, means P f a -> means P (times_f (-1) f) (fun v => - a v).
Proof.
  intros P f a h. destruct (means_times P (-1) f a h) as [u [p e]]. repeat split; trivial. intros v. rewrite e.
  change (real (-1)) with (-1). ring.
Qed.
Lemma means_over : forall P q f a, means P f a -> means P (times_f (/ q) f) (fun v => a v / real q).
Proof.
  intros P q f a h. destruct (means_times P (/ q) f a h) as [u [p e]]. repeat split; trivial. intros v. rewrite e.
  rewrite real_inverse. unfold Rdiv. ring.
Qed.
Lemma means_minus : forall P f g a b, means P f a -> means P g b -> means P (minus_f f g) (fun v => a v - b v).
Proof.
  intros P f g a b h g'. apply (means_plus P f (times_f (-1) g) a (fun v => - b v)); [assumption | now apply means_neg].
Qed.
Lemma means_adding : forall P F lo hi G, (forall k, means P (F k) (G k)) ->
  means P (adding_f F lo hi) (fun v => sum lo hi (fun k => G k v)).
Proof.
  intros P F lo hi G h. unfold adding_f.
  assert (g : forall l f, unique f -> all_keys P f ->
    unique (fold_left (fun s k => plus_f s (F k)) l f) /\ all_keys P (fold_left (fun s k => plus_f s (F k)) l f) /\
    forall v, eval (fold_left (fun s k => plus_f s (F k)) l f) v = eval f v + adds (fun k => G k v) l).
  { induction l as [|k l ih]; intros f u p.
    - repeat split; trivial. intros v. cbn [fold_left adds]. ring.
    - destruct (h k) as [u' [p' e']]. destruct (put_all P (F k) f u p p') as [u2 [p2 e2]].
      destruct (ih (plus_f f (F k)) u2 p2) as [u3 [p3 e3]]. repeat split; trivial. intros v. cbn [fold_left adds].
      rewrite e3. unfold plus_f. rewrite e2, e'. ring. }
  destruct (g (upto lo hi) nil I (Forall_nil _)) as [u [p e]]. repeat split; trivial. intros v. rewrite e, adds_upto.
  change (eval [] v) with 0. ring.
Qed.
(* which keys: coordinates alone; these and a number; units and a number *)
Definition reads_only (k : key) : Prop := match k with Reads _ => True | _ => False end.
Definition plain (k : key) : Prop := match k with Relu _ => False | _ => True end.
Definition entry (k : key) : Prop :=
  match k with Alone => True | Reads _ => False | Relu u => once_each _ same_part (map fst u) end.
Lemma insert_perm : forall e u, Permutation (insert e u) (e :: u).
Proof.
  intros e u. induction u as [|d u ih]; [reflexivity|]. cbn. destruct (first_of (fst e) (fst d)); [reflexivity|].
  rewrite ih. apply perm_swap.
Qed.
Lemma sorted_perm : forall u, Permutation (fold_right insert nil u) u.
Proof. induction u as [|e u ih]; [reflexivity|]. cbn. rewrite insert_perm. now constructor. Qed.
Lemma eval_nonzero : forall f v, eval (nonzero f) v = eval f v.
Proof.
  intros f v. unfold eval, nonzero. induction f as [|e f ih]; [reflexivity|]. cbn [filter adds]. destruct (zero (snd
    e)) eqn:z; cbn [negb].
  - rewrite ih, (real_zero _ z). ring.
  - cbn [adds]. now rewrite ih.
Qed.
Lemma nonzero_means : forall P f r, means P f r -> means P (nonzero f) r.
Proof.
  intros P f r [u [p e]]. repeat split.
  - now apply once_filter.
  - unfold all_keys, nonzero in *. rewrite Forall_forall in *. intros x h. apply filter_In in h. now apply p.
  - intros v. now rewrite eval_nonzero.
Qed.
Definition cut (e : key * Q) : list (option spot * Q) :=
  match fst e with Alone => [(None, snd e)] | Reads c => [(Some c, snd e)] | Relu _ => nil end.
Lemma cut_once : forall f, all_keys plain f -> unique f -> once_each _ same_part (map fst (flat_map cut f)).
Proof.
  induction f as [|[k x] f ih]; intros p u; [exact I|]. inversion p as [|? ? pk pf]. subst. destruct u as [n u].
  assert (m : forall c, In c (map fst (flat_map cut f)) -> In (match c with Some d => Reads d | None => Alone end) (map
    fst f)).
  { intros c h. apply in_map_iff in h. destruct h as [[d y] [<- h]]. apply in_flat_map in h. destruct h as [[[|b|w] z]
    [i h]];
      cbn in h; [destruct h as [h|[]] | destruct h as [h|[]] | destruct h]; injection h as <- <-;
      apply (in_map fst) in i; exact i. }
  rewrite Forall_forall in n. destruct k as [|c|w]; [| |destruct pk]; cbn; (split; [|now apply ih]); apply
    Forall_forall; intros d i;
    apply m in i; apply n in i; destruct d; cbn in *; congruence.
Qed.
Lemma cut_value : forall f v, all_keys plain f -> adds (fun e => real (snd e) * part_value v (fst e)) (flat_map cut f)
  = eval f v.
Proof.
  intros f v p. unfold eval. induction f as [|[k x] f ih]; [reflexivity|]. inversion p as [|? ? pk pf]. subst. cbn
    [flat_map adds].
  rewrite adds_app, ih by assumption. destruct k; [| |destruct pk]; cbn; ring.
Qed.
Lemma means_relu : forall f r, means plain f r -> means entry (relu_f f) (fun v => relu (r v)).
Proof.
  intros f r h. apply nonzero_means in h. destruct h as [u [p e]]. unfold relu_f. change (fun e : key * Q => match fst
    e with
    | Alone => [(None, snd e)] | Reads c => [(Some c, snd e)] | Relu _ => [] end) with cut. split; [split;
      constructor|]. split.
  - constructor; [|constructor]. cbn [entry fst].
    apply (once_perm _ _ part_sym (map fst (flat_map cut (nonzero f)))); [|now apply cut_once].
    apply Permutation_map, Permutation_sym, sorted_perm.
  - intros v. unfold eval. cbn [adds fst snd key_value]. change (real 1) with 1. unfold unit_value.
    rewrite (adds_perm _ _ _ _ (sorted_perm _)), cut_value by assumption. rewrite e. ring.
Qed.

(* --- Rows of matrices. *)
Lemma dot_map : forall (g : spot -> R) (nm : spot -> string) x i cols,
  dot (map g cols) (map nm cols) x i = adds (fun c => g c * x (nm c) i) cols.
Proof. intros g nm x i cols. induction cols as [|c cols ih]; [reflexivity|]. cbn. now rewrite ih. Qed.
Lemma in_spots : forall f c, In c (spots f) <-> In (Reads c) (map fst f).
Proof.
  intros f c. unfold spots. rewrite in_flat_map, in_map_iff. split.
  - intros [[[|d|u] q] [i h]]; cbn in h; try easy. destruct h as [<-|[]]. now exists (Reads d, q).
  - intros [[k q] [e i]]. cbn in e. subst k. exists (Reads c, q). split; [assumption | now left].
Qed.
Lemma reads_once : forall cols, once_each _ same_spot cols -> once_each _ same_key (map Reads cols).
Proof.
  induction cols as [|c cols ih]; [trivial|]. intros [n u]. cbn. split; [|auto]. rewrite Forall_map. exact n.
Qed.
Lemma dot_form : forall f r cols nm x i, means reads_only f r -> once_each _ same_spot cols ->
  (forall c, In c (spots f) -> In c cols) ->
  dot (map (fun c => real (coefficient f (Reads c))) cols) (map nm cols) x i = r (fun c => x (nm c) i).
Proof.
  intros f r cols nm x i [u [p e]] o h. rewrite dot_map, <- e. set (v := fun c => x (nm c) i).
  transitivity (adds (fun k => real (coef _ same_key f k) * key_value v k) (map Reads cols)).
  { rewrite adds_map. reflexivity. }
  unfold eval. apply cover; auto using key_refl, key_sym, reads_once.
  - exact key_trans.
  - exact (key_value_same v).
  - intros [k q] j. unfold all_keys in p. rewrite Forall_forall in p. specialize (p _ j). destruct k as [|c|w]; try
    destruct p.
    exists (Reads c). split; [|apply key_refl]. apply in_map, h, in_spots. apply (in_map fst) in j. exact j.
Qed.
Lemma dot_nothing : forall f cols nm x i, spots f = nil -> all_keys reads_only f ->
  dot (map (fun c => real (coefficient f (Reads c))) cols) (map nm cols) x i = 0.
Proof.
  intros f cols nm x i e p. assert (n : f = nil).
  { destruct f as [|[k q] f]; [reflexivity|]. inversion p as [|? ? pk pf]. destruct k; try destruct pk. discriminate. }
  subst f. rewrite dot_map. apply adds_none. intros c _. change (real (coefficient [] (Reads c))) with 0. ring.
Qed.
Lemma first_once : forall l : list spot, once_each _ same_spot (firstn 1 l).
Proof. intros [|c l]; cbn; repeat constructor. Qed.
Lemma or_else_once : forall l l' : list spot, once_each _ same_spot l -> once_each _ same_spot l' -> once_each _
  same_spot (or_else l l').
Proof. intros [|c l] l' h g; assumption. Qed.
Lemma in_or_else : forall A (l l' : list A) x, In x l -> In x (or_else l l').
Proof. intros A [|c l] l' x h; [destruct h | exact h]. Qed.
Lemma in_once_spot : forall l c, In c l -> In c (once same_spot l).
Proof.
  intros l c h. destruct (in_once _ same_spot spot_refl l c h) as [d [i e]]. apply same_spot_is in e. now subst.
Qed.

(* --- Labels of coordinates. *)
Definition index_char (c : ascii) : bool := existsb (Ascii.eqb c) ["0"; "1"; "2"; "3"; "4"; "5"; "6"; "7"; "8"; "9";
  "m"; "-"]%char.
Fixpoint of_chars (p : ascii -> bool) (s : string) : bool :=
  match s with EmptyString => true | String c s => p c && of_chars p s end.
Definition bar (c : ascii) : bool := Ascii.eqb c "_" || index_char c.
Lemma of_chars_app : forall p s t, of_chars p (s ++ t) = of_chars p s && of_chars p t.
Proof. intros p s t. induction s as [|c s ih]; [reflexivity|]. cbn. now rewrite ih, Bool.andb_assoc. Qed.
Lemma digits : forall d, of_chars index_char (NilEmpty.string_of_uint d) = true.
Proof. induction d; cbn [NilEmpty.string_of_uint of_chars]; trivial. Qed.
Lemma shown_chars : forall k, of_chars index_char (shown k) = true.
Proof.
  intros k. unfold shown. destruct k as [|p|p]; [reflexivity | |].
  - unfold NilEmpty.string_of_int. destruct (Z.to_int (Z.pos p)) as [u|u]; cbn [of_chars]; rewrite digits; reflexivity.
  - cbn [append of_chars]. unfold NilEmpty.string_of_int. destruct (Z.to_int (Z.pos p)) as [u|u]; cbn [of_chars];
    rewrite digits; reflexivity.
Qed.
Lemma of_chars_weaker : forall p q s, (forall c, p c = true -> q c = true) -> of_chars p s = true -> of_chars q s =
  true.
Proof.
  intros p q s h. induction s as [|c s ih]; [trivial|]. cbn. rewrite !Bool.andb_true_iff. intros [a b]. auto.
Qed.
Lemma indices_chars : forall k, of_chars bar (concat "_" (map shown k)) = true.
Proof.
  assert (one : forall k, of_chars bar (shown k) = true).
  { intros k. apply (of_chars_weaker index_char); [|apply shown_chars]. intros c h. unfold bar. rewrite h. apply
    Bool.orb_true_r. }
  induction k as [|a k ih]; [reflexivity|]. destruct k as [|b k]; [apply one|].
  change (concat "_" (map shown (a :: b :: k))) with (shown a ++ "_" ++ concat "_" (map shown (b :: k))).
  rewrite !of_chars_app, one. exact ih.
Qed.
Fixpoint apart (s t : string) : bool :=
  match s, t with
  | EmptyString, _ => negb (of_chars bar t)
  | _, EmptyString => negb (of_chars bar s)
  | String a s, String b t => if Ascii.eqb a b then apart s t else true
  end.
Lemma apart_labels : forall s t k l, apart s t = true -> label (s, k) <> label (t, l).
Proof.
  intros s t k l. unfold label. cbn [fst snd]. assert (ik := indices_chars k). assert (il := indices_chars l).
  revert t. induction s as [|a s ih]; intros t h e.
  - cbn [append] in e. rewrite e, of_chars_app in ik. cbn [apart] in h. destruct (of_chars bar t); discriminate.
  - destruct t as [|b t].
    + cbn [apart append] in *. rewrite <- e in il. change (String a (s ++ concat "_" (map shown k)))
        with (String a s ++ concat "_" (map shown k)) in il. rewrite of_chars_app in il.
      destruct (of_chars bar (String a s)); discriminate.
    + cbn in h. injection e as -> e. rewrite Ascii.eqb_refl in h. now apply (ih t).
Qed.
Lemma append_same : forall s x y : string, s ++ x = s ++ y -> x = y.
Proof. induction s as [|c s ih]; intros x y h; [exact h|]. injection h. apply ih. Qed.
Lemma shown_same : forall a b, shown a = shown b -> a = b.
Proof.
  assert (int : forall a b, NilEmpty.string_of_int (Z.to_int a) = NilEmpty.string_of_int (Z.to_int b) -> a = b).
  { intros a b e. apply (f_equal NilEmpty.int_of_string) in e. rewrite !NilEmpty.isi in e.
    rewrite <- (of_to a), <- (of_to b). congruence. }
  assert (no : forall d s, NilEmpty.string_of_uint d = String "m" s -> False) by (intros [] s h; discriminate).
  assert (neg : forall b s, (0 <= b)%Z -> NilEmpty.string_of_int (Z.to_int b) = String "m" s -> False).
  { intros b s h e. unfold NilEmpty.string_of_int, Z.to_int in e. destruct b as [|b|b]; [discriminate | | lia].
    now apply no in e. }
  intros a b e. unfold shown in e. destruct a as [|a|a], b as [|b|b]; try (now apply int in e).
  - exfalso. eapply (neg 0%Z); [|exact e]. lia.
  - exfalso. eapply (neg (Z.pos a)); [|exact e]. lia.
  - exfalso. eapply (neg 0%Z); [|symmetry; exact e]. lia.
  - exfalso. eapply (neg (Z.pos b)); [|symmetry; exact e]. lia.
  - apply append_same in e. apply int in e. congruence.
Qed.
Lemma split_bar : forall x x' y y', of_chars index_char x = true -> of_chars index_char x' = true ->
  x ++ String "_" y = x' ++ String "_" y' -> x = x' /\ y = y'.
Proof.
  induction x as [|c x ih]; intros [|d x'] y y' h g e; cbn in e.
  - injection e. auto.
  - injection e as <- e. cbn in g. discriminate.
  - injection e as -> e. cbn in h. discriminate.
  - injection e as -> e. cbn in h, g. apply Bool.andb_true_iff in h, g. destruct h as [_ h], g as [_ g].
    destruct (ih x' y y' h g e). split; congruence.
Qed.
Lemma label_one : forall s a b, label (s, [a]) = label (s, [b]) -> a = b.
Proof. intros s a b h. apply append_same in h. now apply shown_same in h. Qed.
Lemma label_two : forall s a b c d, label (s, [a; b]) = label (s, [c; d]) -> a = c /\ b = d.
Proof.
  intros s a b c d h. apply append_same in h. cbn [snd map concat] in h.
  apply split_bar in h; try apply shown_chars. destruct h as [h g]. split; now apply shown_same.
Qed.

(* --- The first of a list with a label. *)
Fixpoint pick {A} (label_of : A -> string) (s : string) (l : list A) : option A :=
  match l with e :: l => if String.eqb s (label_of e) then Some e else pick label_of s l | nil => None end.
Lemma row_pick : forall A B (f : A -> string) (g : A -> B) s l, row s (map f l) (map g l) = option_map g (pick f s l).
Proof. intros A B f g s l. induction l as [|e l ih]; [reflexivity|]. cbn. destruct (String.eqb s (f e)); [reflexivity |
  exact ih]. Qed.
Lemma pick_hit : forall A (f : A -> string) s l e, In e l -> f e = s -> (forall d, In d l -> f d = s -> d = e) -> pick
  f s l = Some e.
Proof.
  intros A f s l e i <- u. induction l as [|d l ih]; [destruct i|]. cbn. destruct (String.eqb_spec (f e) (f d)) as
    [q|n].
  - f_equal. apply u; [now left | congruence].
  - destruct i as [->|i]; [contradiction|]. apply ih; [assumption|]. intros b j. apply u. now right.
Qed.
Lemma pick_miss : forall A (f : A -> string) s l, (forall d, In d l -> f d <> s) -> pick f s l = None.
Proof.
  intros A f s l u. induction l as [|d l ih]; [reflexivity|]. cbn. destruct (String.eqb_spec s (f d)) as [q|n].
  - exfalso. apply (u d); [now left | congruence].
  - apply ih. intros b j. apply u. now right.
Qed.

(* --- Steps: what a part, or a norm with what it is of, makes of a stream. *)
Definition step (ps : list part) (lo hi : Z) (x : stream) : stream := fold_left (fun x p => after p lo hi x) ps x.
Definition get (x : stream) (s : string) (k : list Z) (i : Z) : R := x (label (s, k)) i.
Definition named (a : around) (s : string) : string :=
  if existsb (String.eqb s) (made a) then "y" ++ shown (layer a) ++ "_" ++ s else s.
Lemma append_all : forall s t u : string, (s ++ t) ++ u = s ++ (t ++ u).
Proof. induction s as [|c s ih]; intros t u; [reflexivity|]. cbn. now rewrite ih. Qed.
Lemma seen_named : forall a c, seen a c = label (named a (fst c), snd c).
Proof. intros a [s k]. unfold seen, named, label. cbn [fst snd]. destruct (existsb _ _); [now rewrite !append_all |
  reflexivity]. Qed.
(* what a norm makes in a layer whose number is not a numeral: the round's, or one behind rounds *)
Definition mark (l : Z) (s : string) : string := "y" ++ shown l ++ "_" ++ s.
Lemma mark_apart : forall l s t, apart s t = true -> apart (mark l s) (mark l t) = true.
Proof.
  intros l s t h. unfold mark. assert (g : forall p s t, apart s t = true -> apart (p ++ s) (p ++ t) = true).
  { intros p u v q. induction p as [|c p ih]; [exact q|]. cbn. now rewrite Ascii.eqb_refl. }
  now do 3 apply g.
Qed.
Ltac apart_ := first [apply mark_apart; reflexivity | reflexivity].
Ltac called := intros; lazymatch goal with
  | |- context [mark _ _] => cbv beta; cbn [fst snd]; rewrite seen_named; reflexivity
  | |- _ => reflexivity
  end.
Ltac with_name a s k :=
  let l := eval lazy -[Z.add Z.sub Z.mul Z.pow Z.of_nat] in (layer a) in
  let b := eval lazy in (existsb (String.eqb s) (made a)) in
  lazymatch b with
  | false => k s
  | true => lazymatch l with
    | Zpos _ => let t := eval cbv in (named a s) in k t
    | _ => k constr:(mark l s)
    end
  end.
Definition view (a : around) (x : stream) (i : Z) (d : spot) : R := get x (named a (fst d)) (snd d) i.
Lemma view_seen : forall a x i, (fun c => x (seen a c) i) = view a x i.
Proof. intros a x i. apply functional_extensionality. intros c. unfold view, get. now rewrite seen_named. Qed.

Definition first_label (e : spot * form) : string := label (fst e).
Lemma combine_maps : forall A B C (f : A -> B) (g : A -> C) l, combine (map f l) (map g l) = map (fun k => (f k, g k))
  l.
Proof. intros A B C f g l. induction l as [|x l ih]; [reflexivity|]. cbn. now rewrite ih. Qed.
Lemma units_value : forall (W : unit_ -> list R) (b : unit_ -> R) (coefs : unit_ -> R) names x i us,
  product (map coefs us) (units relu_units (map W us) (map b us) names x i) =
  adds (fun u => coefs u * relu (dot (W u) names x i + b u)) us.
Proof. intros. induction us as [|u us ih]; [reflexivity|]. cbn. now rewrite ih. Qed.
Lemma unit_row : forall u cols nm x i, once_each _ same_part (map fst u) -> once_each _ same_spot cols ->
  (forall c, In (Some c) (map fst u) -> In c cols) ->
  dot (map (fun c => real (in_unit u (Some c))) cols) (map nm cols) x i + real (in_unit u None) =
  unit_value u (fun c => x (nm c) i).
Proof.
  intros u cols nm x i o oc h. rewrite dot_map. set (v := fun c => x (nm c) i). unfold unit_value.
  rewrite <- (cover _ same_part part_sym part_trans (part_value v) u (None :: map Some cols)); trivial.
  - cbn [adds part_value]. rewrite adds_map. cbn [part_value]. unfold v. change (in_unit u) with (coef _ same_part u).
    ring.
  - intros a b e. apply same_part_is in e. now subst.
  - cbn. split; [rewrite Forall_map, Forall_forall; reflexivity|]. clear h. induction cols as [|c cols ih]; [trivial|].
    destruct oc as [n oc]. cbn. split; [|auto]. rewrite Forall_map. exact n.
  - intros [c q] j. exists c. cbn. split; [|apply part_refl]. destruct c as [c|]; [|now left]. right. apply in_map, h.
    apply (in_map fst) in j. exact j.
Qed.
Lemma unit_once_same : forall u w, same_unit u w = true -> map fst u = map fst w.
Proof.
  induction u as [|[a x] u ih]; intros [|[b y] w] h; try easy. cbn in *. rewrite !Bool.andb_true_iff in h.
  destruct h as [[h g] k]. apply same_part_is in h. rewrite (ih w k). congruence.
Qed.
Lemma relu_once : forall us, once_each _ same_unit us -> once_each _ same_key (Alone :: map Relu us).
Proof.
  intros us h. split; [rewrite Forall_map, Forall_forall; reflexivity|]. induction us as [|u us ih]; [trivial|].
  destruct h as [n h]. cbn. split; [|auto]. rewrite Forall_map. exact n.
Qed.
Lemma network_hit : forall a w lo hi x s c f r i, pick first_label s w = Some (c, f) -> means entry f r ->
  step (network_of a w) lo hi x s i = x s i + r (view a x i).
Proof.
  intros a w lo hi x s c f r i p [u [k e]]. unfold network_of.
  assert (n : w <> nil) by (intros ->; discriminate).
  set (w' := or_else w _). replace w' with w by (unfold w'; destruct w; [contradiction | reflexivity]). clear w' n.
  set (made := once same_unit _). set (cols := or_else (once same_spot _) _). cbn [step fold_left after].
  rewrite combine_maps, row_pick. change (fun e0 : spot * form => label (fst e0)) with first_label. rewrite p. cbn
    [option_map plus fst snd].
  f_equal. rewrite <- e, <- view_seen. set (v := fun c => x (seen a c) i).
  change (map (fun u0 : unit_ => map (fun c0 : spot => real (in_unit u0 (Some c0))) cols) (or_else made [[]]))
    with (map (fun u0 : unit_ => map (fun c0 : spot => real (in_unit u0 (Some c0))) cols) (or_else made [[]])).
  rewrite units_value.
  assert (oc : once_each _ same_spot cols).
  { apply or_else_once; [apply once_once; exact spot_sym | apply first_once]. }
  assert (om : once_each _ same_unit (or_else made [[]])).
  { unfold made. assert (q := once_once _ same_unit unit_sym (flat_map (fun e0 : spot * form => flat_map (fun d =>
    match fst d with
      | Relu u0 => [u0] | _ => [] end) (snd e0)) w)). destruct (once same_unit _); [repeat constructor | exact q]. }
  assert (inp : In (c, f) w).
  { clear -p. induction w as [|d w ih]; [discriminate|]. cbn in p. destruct (String.eqb s (first_label d)); [left;
    congruence | right; auto]. }
  transitivity (adds (fun k => real (coef _ same_key f k) * key_value v k) (Alone :: map Relu (or_else made [[]]))).
  - cbn [adds key_value]. rewrite adds_map, Rplus_comm. change (coefficient f Alone) with (coef _ same_key f Alone).
    f_equal; [ring|].
    apply adds_same. intros y iy. change (coefficient f (Relu y)) with (coef _ same_key f (Relu y)).
    destruct (find (fun e => same_key (fst e) (Relu y)) f) as [[k' q]|] eqn:g.
    + apply find_some in g. destruct g as [j g]. unfold all_keys in k. rewrite Forall_forall in k. apply k in j. cbn
      [fst] in *.
      destruct k' as [|d|z]; try discriminate. cbn in g, j. cbn [key_value]. do 2 f_equal.
      apply unit_row; trivial; [rewrite <- (unit_once_same _ _ g); exact j|].
      intros d jd. unfold cols. apply in_or_else, in_once_spot, in_flat_map. exists y. split.
      * destruct made as [|m ms] eqn:em; [|exact iy]. destruct iy as [<-|[]]. destruct jd.
      * apply in_flat_map. apply in_map_iff in jd. destruct jd as [[a' q'] [ea ja]]. cbn in ea. subst a'. exists (Some
        d, q').
        split; [assumption | now left].
    + unfold coef. rewrite g. change (real 0) with 0. ring.
  - unfold eval. apply cover; trivial.
    + exact key_sym.
    + exact key_trans.
    + exact (key_value_same v).
    + now apply relu_once.
    + intros [k' q] j. unfold all_keys in k. rewrite Forall_forall in k. assert (pk := k _ j). cbn [fst] in *.
      destruct k' as [|d|z]; [exists Alone; now split; [left|] | destruct pk|].
      destruct (in_once _ same_unit unit_refl (flat_map (fun e0 : spot * form => flat_map (fun d => match fst d with
        | Relu u0 => [u0] | _ => [] end) (snd e0)) w) z) as [y [iy ey]].
      { apply in_flat_map. exists (c, f). split; [assumption|]. apply in_flat_map. exists (Relu z, q). split;
        [assumption | now left]. }
      exists (Relu y). split; [|exact ey]. right. apply in_map. apply in_or_else. exact iy.
Qed.
Lemma network_miss : forall a w lo hi x s i, pick first_label s w = None -> step (network_of a w) lo hi x s i = x s i.
Proof.
  intros a w lo hi x s i p. unfold network_of. set (made := or_else (once same_unit _) _). set (cols := or_else (once
    same_spot _) _).
  set (W1 := map _ made). set (b1 := map _ made). cbn [step fold_left after]. rewrite combine_maps, row_pick.
  destruct w as [|e w].
  - cbn [or_else]. destruct (space a) as [|c space]; [reflexivity|]. cbn [firstn map pick fst]. destruct (String.eqb s
    (label c)); [|reflexivity].
    cbn [option_map plus fst snd]. change (coefficient [] Alone) with 0%Q. unfold W1, b1.
    rewrite units_value, adds_none; [change (real 0) with 0; ring|]. intros y _. change (real (coefficient [] (Relu
      y))) with 0. ring.
  - cbn [or_else]. change (fun e0 : spot * form => label (fst e0)) with first_label. now rewrite p.
Qed.

(* --- Scores: sums of products of forms. *)
Definition good (f : form) : Prop := unique f /\ all_keys reads_only f.
Definition multiplies (l : list (form * form)) (s : (spot -> R) -> (spot -> R) -> R) : Prop :=
  (forall p, In p l -> good (fst p) /\ good (snd p)) /\
  forall u v, adds (fun p => eval (fst p) u * eval (snd p) v) l = s u v.
Lemma multiplies_none : multiplies nil (fun u v => 0).
Proof. split; [intros p [] | reflexivity]. Qed.
Lemma multiplies_one : forall q k a b, means reads_only q a -> means reads_only k b ->
  multiplies [(q, k)] (fun u v => a u * b v).
Proof.
  intros q k a b [u [p e]] [u' [p' e']]. split.
  - intros x [<-|[]]. now repeat split.
  - intros v w. cbn [adds fst snd]. rewrite e, e'. ring.
Qed.
Lemma multiplies_app : forall l m s t, multiplies l s -> multiplies m t -> multiplies (l ++ m) (fun u v => s u v + t u
  v).
Proof.
  intros l m s t [g e] [g' e']. split.
  - intros p h. apply in_app_or in h. destruct h; auto.
  - intros u v. now rewrite adds_app, e, e'.
Qed.
Lemma multiplies_flat : forall F lo hi S, (forall k, multiplies (F k) (S k)) ->
  multiplies (flat_map F (upto lo hi)) (fun u v => sum lo hi (fun k => S k u v)).
Proof.
  intros F lo hi S h. split.
  - intros p i. apply in_flat_map in i. destruct i as [k [_ i]]. now apply (h k).
  - intros u v. rewrite adds_flat, <- adds_upto. apply adds_same. intros k _. apply (h k).
Qed.
Lemma good_means : forall f, good f -> means reads_only f (eval f).
Proof. intros f [u p]. now repeat split. Qed.
Lemma means_good : forall f r, means reads_only f r -> good f.
Proof. intros f r [u [p e]]. now split. Qed.
Lemma same_set_value : forall f g v, good f -> good g -> same_set f g = true -> eval f v = eval g v.
Proof.
  intros f g v [uf kf] [ug kg] h. unfold same_set in h. apply andb_prop in h. destruct h as [len h].
  apply Nat.eqb_eq in len. rewrite forallb_forall in h. clear ug kg. revert g len h.
  induction f as [|e f ih]; intros g len h.
  - destruct g; [reflexivity | discriminate].
  - destruct uf as [n uf]. inversion kf as [|? ? ke kf']. subst.
    assert (he := h e (or_introl eq_refl)). apply existsb_exists in he. destruct he as [d [i q]].
    apply andb_prop in q. destruct q as [qk qv]. apply in_split in i. destruct i as [l [m ->]].
    assert (p : Permutation (l ++ d :: m) (d :: l ++ m)) by (symmetry; apply Permutation_middle).
    unfold eval at 2. rewrite (adds_perm _ _ _ _ p). cbn [adds]. fold (eval (l ++ m)%list v). unfold eval. cbn [adds].
      fold (eval f v).
    rewrite (key_value_same v _ _ qk), (real_same _ _ qv). f_equal. apply ih; trivial.
    + rewrite app_length in *. cbn in len. lia.
    + intros x j. assert (hx := h x (or_intror j)). apply existsb_exists in hx. destruct hx as [y [iy q]].
      apply existsb_exists. exists y. split; [|exact q]. apply (Permutation_in y p) in iy. destruct iy as [<-|iy];
        [|exact iy].
      exfalso. apply andb_prop in q. destruct q as [q _]. rewrite Forall_forall in n.
      assert (c := n (fst x) (in_map fst _ _ j)). rewrite (key_trans _ _ _ qk (key_sym _ _ q)) in c. discriminate.
Qed.
Definition rows_good (l : list (form * form)) : Prop := forall p, In p l -> good (fst p) /\ good (snd p).
Definition rows_value (l : list (form * form)) u v : R := adds (fun p => eval (fst p) u * eval (snd p) v) l.
Lemma put_row_value : forall rows q k, rows_good rows -> good q -> good k -> rows_good (put_row rows q k) /\
  forall u v, rows_value (put_row rows q k) u v = rows_value rows u v + eval q u * eval k v.
Proof.
  intros rows q k. induction rows as [|[p l] rows ih]; intros g gq gk.
  - cbn [put_row]. destruct (put_all reads_only k nil I (Forall_nil _) (proj2 gk)) as [u [a e]]. split.
    + intros x [<-|[]]. repeat split; try apply gq; assumption.
    + intros v w. unfold rows_value. cbn [adds fst snd]. unfold plus_f. rewrite e. change (eval [] w) with 0. ring.
  - destruct (g (p, l) (or_introl eq_refl)) as [gp gl]. cbn [fst snd] in *.
    assert (gr : rows_good rows) by (intros x i; apply g; now right). cbn [put_row]. destruct (same_set p q) eqn:s.
    + destruct (put_all reads_only k l (proj1 gl) (proj2 gl) (proj2 gk)) as [u [a e]]. split.
      * intros x [<-|i]; [|now apply gr]. split; [assumption | split; assumption].
      * intros v w. unfold rows_value. cbn [adds fst snd]. unfold plus_f. rewrite e, <- (same_set_value p q v gp gq s).
        ring.
    + destruct (ih gr gq gk) as [gi e]. split.
      * intros x [<-|i]; [now split | now apply gi].
      * intros v w. specialize (e v w). unfold rows_value in *. cbn [adds fst snd]. rewrite e. ring.
Qed.
Lemma good_nonzero : forall f, good f -> good (nonzero f).
Proof. intros f h. apply good_means, nonzero_means, means_good in h. exact h. Qed.
Lemma good_times : forall q f, good f -> good (times_f q f).
Proof. intros q f h. eapply means_good, means_times, good_means, h. Qed.
Lemma eval_times : forall q f v, good f -> eval (times_f q f) v = real q * eval f v.
Proof. intros q f v h. destruct (means_times _ q f _ (good_means f h)) as [_ [_ e]]. apply e. Qed.
Lemma score_rows_value : forall l s, multiplies l s -> rows_good (score_rows l) /\ forall u v, rows_value (score_rows
  l) u v = s u v.
Proof.
  intros l s [g e]. unfold score_rows.
  set (F := fun rows p => _).
  assert (h : forall l rows, rows_good l -> rows_good rows -> rows_good (fold_left F l rows) /\
    forall u v, rows_value (fold_left F l rows) u v = rows_value rows u v + rows_value l u v).
  { clear l g e. induction l as [|[q k] l ih]; intros rows gl gr.
    - split; [assumption|]. intros u v. cbn [fold_left]. change (rows_value [] u v) with 0. ring.
    - destruct (gl (q, k) (or_introl eq_refl)) as [gq gk]. cbn [fst snd] in *.
      assert (gl' : rows_good l) by (intros x i; apply gl; now right).
      assert (one : rows_good (F rows (q, k)) /\
        forall u v, rows_value (F rows (q, k)) u v = rows_value rows u v + eval q u * eval k v).
      { assert (eq_ : forall u, eval q u = eval (nonzero q) u) by (intros; now rewrite eval_nonzero).
        assert (ek : forall u, eval k u = eval (nonzero k) u) by (intros; now rewrite eval_nonzero).
        apply good_nonzero in gq, gk. unfold F. cbn [fst snd]. destruct (nonzero q) as [|[c x] qs].
        - split; [assumption|]. intros u v. rewrite eq_. change (eval [] u) with 0. ring.
        - destruct (nonzero k) as [|d ks].
          + assert (z : forall u v, rows_value rows u v = rows_value rows u v + eval q u * eval k v)
              by (intros u v; rewrite ek; change (eval [] v) with 0; ring). destruct qs; now split.
          + destruct qs as [|e qs].
            * assert (g1 : good [(c, 1%Q)]).
              { destruct gq as [_ kq]. inversion kq. split; [split; constructor | now constructor]. }
              destruct (put_row_value rows _ _ gr g1 (good_times x _ gk)) as [a b]. split; [exact a|].
              intros u v. rewrite b, eval_times, eq_, ek by assumption. 
              change (eval [(c, 1%Q)] u) with (1 * key_value u c + 0). change (eval [(c, x)] u) with (real x *
                key_value u c + 0). ring.
            * destruct (put_row_value rows _ _ gr gq gk) as [a b]. split; [exact a|]. intros u v. rewrite b, eq_, ek.
              reflexivity. }
      destruct one as [a b]. destruct (ih (F rows (q, k)) gl' a) as [a' b']. split; [exact a'|]. intros u v.
      cbn [fold_left]. rewrite b', b. unfold rows_value. cbn [adds fst snd]. ring. }
  destruct (h l nil g) as [a b]; [intros x []|]. split; [exact a|]. intros u v. rewrite b. unfold rows_value at 1. cbn
    [adds].
  rewrite Rplus_0_l. apply e.
Qed.

Lemma score_rows_is : forall (rows : list (form * form)) cols nm x i j, rows_good rows -> once_each _ same_spot cols ->
  (forall p, In p rows -> forall c, In c (spots (fst p)) \/ In c (spots (snd p)) -> In c cols) ->
  score (matrix_of (map fst rows) cols) (matrix_of (map snd rows) cols) (map nm cols) x i j =
  rows_value rows (fun c => x (nm c) i) (fun c => x (nm c) j).
Proof.
  intros rows cols nm x i j g o h. induction rows as [|[q k] rows ih]; [reflexivity|].
  destruct (g (q, k) (or_introl eq_refl)) as [gq gk]. cbn [fst snd] in *. cbn [map matrix_of score fst snd].
  rewrite (dot_form q (eval q)), (dot_form k (eval k)); trivial; try (now apply good_means);
    try (intros c i'; apply (h (q, k) (or_introl eq_refl)); cbn [fst snd]; tauto).
  fold (matrix_of (map fst rows) cols). fold (matrix_of (map snd rows) cols). rewrite ih.
  - reflexivity.
  - intros p a. apply g. now right.
  - intros p a. apply h. now right.
Qed.

(* what a head adds *)
Definition head_adds (h : head) (lo hi : Z) (x : stream) (s : string) (i : Z) : R :=
  match head_output h lo hi x s i with Some y => y | None => 0 end.
Lemma in_columns : forall (l l' : list spot) c, In c l -> In c (or_else (once same_spot l) l').
Proof. intros l l' c h. now apply in_or_else, in_once_spot. Qed.
Lemma head_miss : forall a products w m how lo hi x s i, pick first_label s w = None ->
  head_adds (a_head a products w m how) lo hi x s i = 0.
Proof.
  intros a products w m how lo hi x s i h. unfold head_adds, a_head, head_output. unfold matrix_of at 3. rewrite
    map_map, row_pick.
  change (fun e : spot * form => label (fst e)) with first_label. now rewrite h.
Qed.
Lemma head_hit : forall a products w m how lo hi x s i c f r t, pick first_label s w = Some (c, f) ->
  means reads_only f r -> multiplies products t ->
  head_adds (a_head a products w m how) lo hi x s i =
  attention (at_row how i) (first m lo i) (last m hi i) (fun j => t (view a x i) (view a x j)) (fun j => r (view a x
    j)).
Proof.
  intros a products w m how lo hi x s i c f r t h mf mp. unfold head_adds, a_head, head_output.
  set (rows := score_rows products). set (values := map (fun e : spot * form => nonzero (snd e)) w).
  set (cols := or_else (once same_spot _) _). unfold matrix_of at 3. unfold values at 1. rewrite map_map, row_pick.
  change (fun e : spot * form => label (fst e)) with first_label. rewrite h. cbn [option_map snd].
  assert (oc : once_each _ same_spot cols).
  { apply or_else_once; [apply once_once; exact spot_sym | apply first_once]. }
  assert (inp : In (c, f) w).
  { clear -h. induction w as [|d w ih]; [discriminate|]. cbn in h. destruct (String.eqb s (first_label d)); [left;
    congruence | right; auto]. }
  destruct (score_rows_value products t mp) as [g e]. fold rows in g, e.
  f_equal; apply functional_extensionality; intros j.
  - destruct rows as [|row0 rows0] eqn:er.
    + cbn [map or_else matrix_of score]. rewrite <- e. unfold rows_value. cbn [adds].
      rewrite dot_nothing; [ring | reflexivity | constructor].
    + replace (or_else (map fst (row0 :: rows0)) [[]]) with (map fst (row0 :: rows0)) by reflexivity.
      replace (or_else (map snd (row0 :: rows0)) [[]]) with (map snd (row0 :: rows0)) by reflexivity.
      rewrite score_rows_is; trivial.
      * rewrite <- e. now rewrite !view_seen.
      * intros p ip d [ic|ic]; apply in_columns, in_or_app; [left | right; apply in_or_app; left]; apply in_flat_map;
          [exists (fst p) | exists (snd p)]; (split; [now apply in_map | assumption]).
  - rewrite (dot_form (nonzero f) r); trivial; [now rewrite view_seen | now apply nonzero_means|].
    intros d ic. apply in_columns, in_or_app. right. apply in_or_app. right. apply in_flat_map. exists (nonzero f).
    split; [|assumption]. unfold values. apply in_map_iff. now exists (c, f).
Qed.
Lemma heads_sum : forall heads lo hi seen x s i, heads_output heads lo hi seen x s i = x s i + adds (fun h => head_adds
  h lo hi seen s i) heads.
Proof.
  intros heads lo hi seen x s i. induction heads as [|h heads ih]; cbn [heads_output adds]; [ring|]. rewrite ih. unfold
    head_adds at 2.
  destruct (head_output h lo hi seen s i); cbn [plus]; ring.
Qed.
Lemma attention_adds : forall a h heads lo hi x s i,
  step (attention_of a (h :: heads)) lo hi x s i = x s i + adds (fun h => head_adds h lo hi x s i) (h :: heads).
Proof.
  intros a h heads lo hi x s i.
  transitivity (x s i + adds (fun h => head_adds h lo hi x s i) (filter (fun h => negb (no_writes h)) (h :: heads))).
  - unfold attention_of. destruct h as [[[[[[reads names] Q] K] V] m] how]. set (all := _ :: heads).
    cbn [step fold_left after]. destruct (filter (fun h => negb (no_writes h)) all) as [|one some].
    + cbn [or_else]. rewrite heads_sum. cbn [adds]. unfold head_adds, head_output.
      destruct (map label (firstn 1 (space a))) as [|c l]; [cbn [row option_map]; ring|]. cbn [row]. destruct
        (String.eqb s c); [|destruct l; cbn [row option_map]; ring].
      cbn [option_map]. set (t := attention _ _ _ _ _). replace t with 0; [ring|]. unfold t, attention.
      assert (z : sum (first m lo i) (last m hi i) (fun j => weight (at_row (alike average) i) (first m lo i) (last m
        hi i)
        (score [[0]] [[0]] (c :: l) x i) j * dot [0] (c :: l) x j) = 0) by (apply sum_nil; intros j; cbn [dot]; ring).
      rewrite z. unfold Rdiv. ring.
    + cbn [or_else]. now rewrite heads_sum.
  - f_equal. induction (h :: heads) as [|d l ih]; [reflexivity|]. cbn [filter]. destruct (no_writes d) eqn:n; cbn [negb
    adds]; rewrite ih; [|reflexivity].
    replace (head_adds d lo hi x s i) with 0; [ring|]. destruct d as [[[[[[reads names] Q] K] V] m] how]. cbn in n.
    destruct names; [reflexivity | discriminate].
Qed.

(* --- Norms. *)
Definition columns_of (a : around) (w : writes) : list spot := or_else (once same_spot (flat_map (fun e => spots (snd
  e)) w)) (space a).
Definition names_of (a : around) (w : writes) : list string := map (fun e : spot * form => seen a (fst e)) w.
Definition beside (a : around) (w : writes) (x : stream) : stream :=
  after (Beside (map label (columns_of a w)) (names_of a w) (matrix_of (map snd w) (columns_of a w))) 1 1 x.
Definition plain_view (x : stream) (i : Z) (d : spot) : R := get x (fst d) (snd d) i.
Lemma beside_hit : forall a w x s i c f r, pick (fun e : spot * form => seen a (fst e)) s w = Some (c, f) -> means
  reads_only f r ->
  beside a w x s i = r (plain_view x i).
Proof.
  intros a w x s i c f r h mf. unfold beside, after, names_of, matrix_of. rewrite map_map, row_pick, h. cbn [option_map
    snd].
  assert (inp : In (c, f) w).
  { clear -h. induction w as [|d w ih]; [discriminate|]. cbn in h. destruct (String.eqb s (seen a (fst d))); [left;
    congruence | right; auto]. }
  assert (e : plain_view x i = fun c => x (label c) i) by (apply functional_extensionality; now intros [d k]). rewrite
    e.
  unfold columns_of. destruct (once same_spot _) as [|d l] eqn:o.
  - assert (n : spots f = nil).
    { destruct (spots f) as [|d l] eqn:q; [reflexivity|]. assert (j : In d (once same_spot (flat_map (fun e => spots
      (snd e)) w))).
      { apply in_once_spot, in_flat_map. exists (c, f). cbn [snd]. split; [assumption | rewrite q; now left]. }
      rewrite o in j. destruct j. }
    destruct mf as [u [p q]]. rewrite dot_nothing by assumption. rewrite <- q. destruct f as [|[k z] f]; [reflexivity|].
    inversion p as [|? ? pk pf]. destruct k; try destruct pk. discriminate.
  - cbn [or_else]. rewrite <- o. apply dot_form; trivial; [apply once_once; exact spot_sym|].
    intros t j. apply in_once_spot, in_flat_map. now exists (c, f).
Qed.
Lemma norm_is : forall a w g b e f lo hi x, step (norm_of a w g b e f) lo hi x =
  after (Norm (names_of a w) (map (fun _ => real g) (names_of a w)) (map (fun _ => real b) (names_of a w)) (real e) f)
    lo hi (beside a w x).
Proof. reflexivity. Qed.
Definition norm_mean (a : around) (w : writes) (x : stream) (i : Z) : R := mean (names_of a w) (beside a w x) i.
Definition norm_deviation (a : around) (w : writes) (e : Q) (x : stream) (i : Z) : R := deviation (names_of a w) (real
  e) (beside a w x) i.
(* what a sum over what is written is *)
Definition apart_all (a : around) (w : writes) : Prop := forall d e, In d w -> In e w -> seen a (fst d) = seen a (fst
  e) -> d = e.
Lemma total_adds : forall names (f : stream) i, total names f i = adds (fun c => f c i) names.
Proof. intros names f i. induction names as [|c names ih]; [reflexivity|]. cbn. now rewrite ih. Qed.
Definition sums (w : writes) (g : (spot -> R) -> (R -> R) -> R) : Prop :=
  (forall e, In e w -> good (snd e)) /\ forall v F, adds (fun e => F (eval (snd e) v)) w = g v F.
Lemma sums_one : forall c f r, means reads_only f r -> sums [(c, f)] (fun v F => F (r v)).
Proof.
  intros c f r m. split; [intros e [<-|[]]; eapply means_good; exact m|]. intros v F. cbn [adds snd]. destruct m as [_
    [_ q]].
  rewrite q. ring.
Qed.
Lemma sums_app : forall w z g h, sums w g -> sums z h -> sums (w ++ z)%list (fun v F => g v F + h v F).
Proof.
  intros w z g h [a b] [c d]. split.
  - intros e i. apply in_app_or in i. destruct i; auto.
  - intros v F. now rewrite adds_app, b, d.
Qed.
Lemma sums_flat : forall W lo hi G, (forall k, sums (W k) (G k)) ->
  sums (flat_map W (upto lo hi)) (fun v F => sum lo hi (fun k => G k v F)).
Proof.
  intros W lo hi G h. split.
  - intros e i. apply in_flat_map in i. destruct i as [k [_ i]]. now apply (h k).
  - intros v F. rewrite adds_flat, <- adds_upto. apply adds_same. intros k _. apply (h k).
Qed.
Lemma total_names : forall a w g x F i, apart_all a w -> sums w g ->
  total (names_of a w) (fun c i => F (beside a w x c i)) i = g (plain_view x i) F.
Proof.
  intros a w g x F i u [k e]. rewrite total_adds. unfold names_of. rewrite adds_map, <- e. apply adds_same. intros [c
    f] j.
  f_equal. apply (beside_hit a w x _ i c f).
  - apply pick_hit; trivial. intros d id q. apply u; trivial.
  - apply good_means, (k (c, f) j).
Qed.
Lemma length_adds : forall A (l : list A), INR (List.length l) = adds (fun _ => 1) l.
Proof. intros A l. induction l as [|x l ih]; [reflexivity|]. cbn [List.length adds]. rewrite S_INR, ih. ring. Qed.
Lemma mean_is : forall a w g x i, apart_all a w -> sums w g ->
  norm_mean a w x i = g (plain_view x i) (fun r => r) / g (plain_view x i) (fun _ => 1).
Proof.
  intros a w g x i u s. unfold norm_mean, mean. rewrite <- (total_names a w g x (fun r => r) i u s). f_equal.
  unfold names_of. rewrite map_length, length_adds. destruct s as [k e]. now rewrite <- (e (plain_view x i) (fun _ =>
    1)).
Qed.
Lemma deviation_is : forall a w g e x i, apart_all a w -> sums w g ->
  norm_deviation a w e x i = sqrt (g (plain_view x i) (fun r => (r - norm_mean a w x i) ^ 2) / g (plain_view x i) (fun
    _ => 1) + real e).
Proof.
  intros a w g e x i u s. unfold norm_deviation, deviation. do 2 f_equal.
  transitivity (total (names_of a w) (fun c i => (beside a w x c i - mean (names_of a w) (beside a w x) i) ^ 2) i / g
    (plain_view x i) (fun _ => 1)).
  - f_equal. unfold names_of. rewrite map_length, length_adds. destruct s as [k q]. now rewrite <- (q (plain_view x i)
    (fun _ => 1)).
  - f_equal. fold (norm_mean a w x i).
    rewrite <- (total_names a w g x (fun r => (r - norm_mean a w x i) ^ 2) i u s). rewrite !total_adds. reflexivity.
Qed.
Lemma normed_hit : forall a w g b e f lo hi x s i c h r, pick (fun e : spot * form => seen a (fst e)) s w = Some (c, h)
  ->
  means reads_only h r -> 0 <= real e ->
  (step (norm_of a w g b e f) lo hi x s i - real b) * norm_deviation a w e x i = real g * (r (plain_view x i) -
    norm_mean a w x i).
Proof.
  intros a w g b e f lo hi x s i c h r p m z. rewrite norm_is. unfold norm_deviation, norm_mean.
  rewrite (norm_row _ _ _ _ _ _ _ _ _ _ (real g) (real b)); trivial.
  - now rewrite (beside_hit a w x s i c h r).
  - rewrite combine_maps. unfold names_of. rewrite map_map, row_pick, p. reflexivity.
Qed.
Lemma normed_miss : forall a w g b e f lo hi x s, pick (fun e : spot * form => seen a (fst e)) s w = None ->
  step (norm_of a w g b e f) lo hi x s = x s.
Proof.
  intros a w g b e f lo hi x s p. apply functional_extensionality. intros i. rewrite norm_is. unfold beside, after,
    names_of. rewrite combine_maps, map_map, row_pick, p.
  cbn [option_map]. unfold matrix_of. now rewrite map_map, row_pick, p.
Qed.

(* --- The embedding. *)
Definition first_label_Q (e : spot * Q) : string := label (fst e).
Lemma word_row_is : forall w, word_row w = map (fun e : spot * Q => (label (fst e), real (snd e))) (filter (fun e :
  spot * Q => negb (zero (snd e))) w).
Proof. intros w. unfold word_row. induction w as [|e w ih]; [reflexivity|]. cbn. destruct (zero (snd e)); cbn; now
  rewrite ih. Qed.
Definition word_value (w : list (spot * Q)) (s : string) : R :=
  match row s (map fst (word_row w)) (map snd (word_row w)) with Some v => v | None => 0 end.
Lemma word_hit : forall w s c q, pick first_label_Q s w = Some (c, q) -> (forall d, In d w -> first_label_Q d = s -> d
  = (c, q)) ->
  word_value w s = real q.
Proof.
  intros w s c q p u. unfold word_value. rewrite row_pick, word_row_is.
  assert (e : forall l, pick fst s (map (fun e : spot * Q => (label (fst e), real (snd e))) l) =
    option_map (fun e : spot * Q => (label (fst e), real (snd e))) (pick first_label_Q s l)).
  { intros l. induction l as [|d l ih]; [reflexivity|]. cbn. unfold first_label_Q at 1. destruct (String.eqb s (label
    (fst d))); [reflexivity | exact ih]. }
  rewrite e. assert (i : In (c, q) w /\ first_label_Q (c, q) = s).
  { clear -p. induction w as [|d w ih]; [discriminate|]. cbn in p. destruct (String.eqb_spec s (first_label_Q d)).
    - injection p as ->. split; [now left | congruence].
    - destruct (ih p). split; [now right | assumption]. }
  destruct i as [i l]. destruct (zero q) eqn:z.
  - rewrite pick_miss; [cbn; now rewrite real_zero|]. intros d j g. apply filter_In in j. destruct j as [j n].
    rewrite (u d j g) in n. cbn [snd] in n. rewrite z in n. discriminate.
  - rewrite (pick_hit _ _ _ _ (c, q)); [reflexivity | | assumption |].
    + apply filter_In. split; [assumption|]. cbn [snd]. now rewrite z.
    + intros d j g. apply filter_In in j. now apply u.
Qed.
Lemma word_miss : forall w s, (forall d, In d w -> first_label_Q d <> s) -> word_value w s = 0.
Proof.
  intros w s u. unfold word_value. rewrite row_pick, pick_miss; [reflexivity|]. intros d i. rewrite word_row_is in i.
  apply in_map_iff in i. destruct i as [e [<- i]]. apply filter_In in i. cbn [fst]. now apply (u e).
Qed.
Lemma upto_once : forall a b, NoDup (upto a b).
Proof. intros a b. apply FinFun.Injective_map_NoDup; [|apply seq_NoDup]. intros x y h. lia. Qed.
Lemma from_words_value : forall (W : Z -> list (spot * Q)) a b w i s, (a <= w i <= b)%Z ->
  from_words (map (fun t : Z => (t, word_row (W t))) (upto a b)) w s i = word_value (W (w i)) s.
Proof.
  intros W a b w i s h. apply in_upto in h. assert (n := upto_once a b). revert h n. generalize (upto a b). intros l h
    n.
  transitivity (adds (fun t => ind (IZR (w i) = IZR t) * word_value (W t) s) l).
  - clear. induction l as [|t l ih]; [reflexivity|]. cbn [map from_words adds]. rewrite ih. unfold word_value at 2.
    destruct (row s _ _); cbn [option_map plus]; ring.
  - induction l as [|t l ih]; [destruct h|]. apply NoDup_cons_iff in n. destruct n as [out n]. cbn [adds]. destruct h
    as [->|h].
    + rewrite (ind_true (IZR (w i) = IZR (w i))) by tauto. rewrite adds_none; [ring|]. intros t j.
      rewrite ind_false; [ring|]. split; [|easy]. intros e. apply eq_IZR in e. now subst.
    + rewrite ih by assumption. rewrite ind_false; [ring|]. split; [|easy]. intros e. apply eq_IZR in e. now subst.
Qed.
Lemma embedded_is : forall m w g s i, embedded m w g s i =
  from_words (words m) w s i + (if existsb (String.eqb s) (inputs m) then g s i else 0) +
  match pick fst s (positions m) with Some p => snd p i | None => 0 end.
Proof.
  intros m w g s i. unfold embedded. rewrite row_pick.
  destruct (existsb _ _), (pick fst s (positions m)) as [[c p]|]; cbn [option_map plus snd]; ring.
Qed.
Lemma input_miss : forall s l, (forall d, In d l -> d <> s) -> existsb (String.eqb s) l = false.
Proof.
  intros s l h. destruct (existsb _ l) eqn:e; [|reflexivity]. apply existsb_exists in e. destruct e as [d [i e]].
  apply String.eqb_eq in e. now destruct (h d i).
Qed.
(* values at a position: a number or not by the sizes alone *)
Arguments real : simpl never.
Arguments zero : simpl never.
Lemma value_plus : forall a b, value (plus_s a b) = value a + value b.
Proof.
  intros [x|r] [y|s]; cbn [value plus_s].
  - now rewrite real_red, real_plus.
  - destruct (zero x) eqn:z; cbn [value]; rewrite ?(real_zero _ z); ring.
  - destruct (zero y) eqn:z; cbn [value]; rewrite ?(real_zero _ z); ring.
  - reflexivity.
Qed.
Lemma value_minus : forall a b, value (minus_s a b) = value a - value b.
Proof.
  intros [x|r] [y|s]; cbn [value minus_s].
  - now rewrite real_red, real_minus.
  - destruct (zero x) eqn:z; cbn [value]; rewrite ?(real_zero _ z); ring.
  - destruct (zero y) eqn:z; cbn [value]; rewrite ?(real_zero _ z); ring.
  - reflexivity.
Qed.
Lemma value_times : forall a b, value (times_s a b) = value a * value b.
Proof.
  intros [x|r] [y|s]; cbn [value times_s].
  - now rewrite real_red, real_times.
  - destruct (zero x) eqn:z; [cbn [value]; rewrite (real_zero _ z); ring|].
    destruct (Qeq_bool x 1) eqn:o; cbn [value]; [rewrite (real_same _ _ o); change (real 1) with 1; ring | reflexivity].
  - destruct (zero y) eqn:z; [cbn [value]; rewrite (real_zero _ z); ring|].
    destruct (Qeq_bool y 1) eqn:o; cbn [value]; [rewrite (real_same _ _ o); change (real 1) with 1; ring | reflexivity].
  - reflexivity.
Qed.
Lemma value_over : forall a b, value (over_s a b) = value a / value b.
Proof.
  intros [x|r] [y|s]; cbn [value over_s].
  - now rewrite real_red, real_over.
  - destruct (zero x) eqn:z; cbn [value]; [rewrite (real_zero _ z); unfold Rdiv; ring | reflexivity].
  - destruct (Qeq_bool y 1) eqn:z; cbn [value]; [rewrite (real_same _ _ z); change (real 1) with 1; field |
    reflexivity].
  - reflexivity.
Qed.
Lemma value_power : forall a k, value (power_s a k) = value a ^ k.
Proof.
  intros [x|r] k; cbn [value power_s]; trivial. rewrite real_red. induction k as [|k ih]; [reflexivity|].
  cbn [pow]. rewrite <- ih, <- real_times. rewrite !real_Q2R. apply Qeq_eqR.
  rewrite Nat2Z.inj_succ, <- Z.add_1_l. destruct (Qeq_dec x 0) as [z|z].
  - rewrite z, Qmult_0_l. now rewrite Qpower_0 by lia.
  - rewrite Qpower_plus by assumption. reflexivity.
Qed.
Lemma value_adding : forall f a b, value (adding_s f a b) = sum a b (fun k => value (f k)).
Proof.
  intros f a b. unfold adding_s. rewrite <- adds_upto. rewrite (fold_adds _ _ plus_s value f _ _ value_plus).
  change (value (Known 0)) with (real 0). change (real 0) with 0. ring.
Qed.
Definition steady (T : Z -> scalar) : Prop := (exists q, forall i, T i = Known q) \/ (exists r, forall i, T i = Open (r
  i)).
Lemma by_row_is : forall c T i, steady T -> at_row (by_row c T) i = softmax c (value (T i)).
Proof.
  intros c T i [[q e]|[r e]]; unfold by_row; rewrite e; cbn [at_row]; now rewrite !e.
Qed.
Lemma steady_known : forall q, steady (fun _ => Known q). Proof. intros q. left. now exists q. Qed.
Lemma steady_open : forall r, steady (fun i => Open (r i)). Proof. intros r. right. now exists r. Qed.
Ltac both_steady := intros a b [[x e]|[x e]] [[y f]|[y f]]; unfold steady.
Lemma steady_plus : forall a b, steady a -> steady b -> steady (fun i => plus_s (a i) (b i)).
Proof.
  both_steady.
  - left. exists (Qred (x + y)). intros i. now rewrite e, f.
  - right. destruct (zero x) eqn:z; [exists y | exists (fun i => real x + y i)]; intros i; rewrite e, f; cbn [plus_s
    over_s]; now rewrite z.
  - right. destruct (zero y) eqn:z; [exists x | exists (fun i => x i + real y)]; intros i; rewrite e, f; cbn [plus_s
    over_s]; now rewrite z.
  - right. exists (fun i => x i + y i). intros i. now rewrite e, f.
Qed.
Lemma steady_over : forall a b, steady a -> steady b -> steady (fun i => over_s (a i) (b i)).
Proof.
  both_steady.
  - left. exists (Qred (x / y)). intros i. now rewrite e, f.
  - destruct (zero x) eqn:z; [left; exists x | right; exists (fun i => real x / y i)]; intros i; rewrite e, f; cbn
    [plus_s over_s]; now rewrite z.
  - right. destruct (Qeq_bool y 1) eqn:z; [exists x | exists (fun i => x i / real y)]; intros i; rewrite e, f; cbn
    [plus_s over_s]; now rewrite z.
  - right. exists (fun i => x i / y i). intros i. now rewrite e, f.
Qed.
Lemma steady_power : forall a k, steady a -> steady (fun i => power_s (a i) k).
Proof.
  intros a k [[x e]|[x e]].
  - left. exists (Qred (x ^ Z.of_nat k)). intros i. now rewrite e.
  - right. exists (fun i => x i ^ k). intros i. now rewrite e.
Qed.

(* --- Stages. *)
Lemma stage_parts : forall m n w g ps, (exists rest, parts m = (ps ++ rest)%list) ->
  stage m n w g (List.length ps) = step ps (start m) (start m + n - 1) (embedded m w g).
Proof.
  intros m n w g ps. induction ps as [|p ps ih] using rev_ind; intros [rest e]; [reflexivity|].
  rewrite app_length. cbn [List.length]. rewrite Nat.add_1_r. cbn [stage].
  rewrite e, <- app_assoc, nth_error_app2, Nat.sub_diag by lia. cbn [app nth_error]. unfold step. rewrite
    fold_left_app. cbn [fold_left].
  rewrite ih; [reflexivity|]. exists ([p] ++ rest)%list. now rewrite app_assoc.
Qed.
Lemma step_app : forall p q lo hi x, step (p ++ q) lo hi x = step q lo hi (step p lo hi x).
Proof. intros. unfold step. apply fold_left_app. Qed.

(* --- Finding what is written: by blocks. *)
Lemma pick_left : forall A (f : A -> string) s l r e, pick f s l = Some e -> pick f s (l ++ r) = Some e.
Proof. intros A f s l r e. induction l as [|d l ih]; [discriminate|]. cbn. destruct (String.eqb s (f d)); trivial. Qed.
Lemma pick_right : forall A (f : A -> string) s l r e, pick f s l = None -> pick f s r = e -> pick f s (l ++ r) = e.
Proof. intros A f s l r e h g. induction l as [|d l ih]; [exact g|]. cbn in *. destruct (String.eqb s (f d));
  [discriminate | auto]. Qed.
Lemma pick_single : forall A (f : A -> string) s e, f e = s -> pick f s [e] = Some e.
Proof. intros A f s e <-. cbn. now rewrite String.eqb_refl. Qed.
Lemma pick_index : forall A (f : A -> string) (F : Z -> list A) (E : Z -> A) nm lo hi c, (lo <= c <= hi)%Z ->
  (forall k, F k = [E k]) -> (forall k, f (E k) = label (nm, [k])) ->
  pick f (label (nm, [c])) (flat_map F (upto lo hi)) = Some (E c).
Proof.
  intros A f F E nm lo hi c r one lab. apply pick_hit.
  - apply in_flat_map. exists c. split; [now apply in_upto | rewrite one; now left].
  - apply lab.
  - intros d i e. apply in_flat_map in i. destruct i as [k [_ i]]. rewrite one in i. destruct i as [<-|[]].
    rewrite lab in e. now apply label_one in e as ->.
Qed.
Lemma pick_indices : forall A (f : A -> string) (F : Z -> Z -> list A) (E : Z -> Z -> A) nm lo hi lo' hi' c d,
  (lo <= c <= hi)%Z -> (lo' <= d <= hi')%Z ->
  (forall k l, F k l = [E k l]) -> (forall k l, f (E k l) = label (nm, [k; l])) ->
  pick f (label (nm, [c; d])) (flat_map (fun k => flat_map (F k) (upto lo' hi')) (upto lo hi)) = Some (E c d).
Proof.
  intros A f F E nm lo hi lo' hi' c d r r' one lab. apply pick_hit.
  - apply in_flat_map. exists c. split; [now apply in_upto|]. apply in_flat_map. exists d. split; [now apply in_upto |
    rewrite one; now left].
  - apply lab.
  - intros e i q. apply in_flat_map in i. destruct i as [k [_ i]]. apply in_flat_map in i. destruct i as [l [_ i]].
    rewrite one in i. destruct i as [<-|[]]. rewrite lab in q. now apply label_two in q as [-> ->].
Qed.
Lemma apart_single : forall a e, apart_all a [e]. Proof. intros a e d d' [<-|[]] [<-|[]]. reflexivity. Qed.
Lemma apart_index : forall a (F : Z -> writes) (E : Z -> spot * form) nm lo hi, (forall k, F k = [E k]) ->
  (forall k, seen a (fst (E k)) = label (nm, [k])) -> apart_all a (flat_map F (upto lo hi)).
Proof.
  intros a F E nm lo hi one lab d e id ie l. apply in_flat_map in id, ie. destruct id as [k [_ id]], ie as [k' [_ ie]].
  rewrite one in id, ie. destruct id as [<-|[]], ie as [<-|[]]. rewrite !lab in l. now apply label_one in l as ->.
Qed.

(* --- Values behind a step. *)
Lemma network_get : forall y x a w lo hi s k c f r i, y = step (network_of a w) lo hi x ->
  pick first_label (label (s, k)) w = Some (c, f) -> means entry f r -> get y s k i = get x s k i + r (view a x i).
Proof. intros y x a w lo hi s k c f r i -> h m. unfold get. now apply network_hit with c f. Qed.
Lemma attention_get : forall y x a heads lo hi s k i r, y = step (attention_of a heads) lo hi x -> heads <> nil ->
  adds (fun h => head_adds h lo hi x (label (s, k)) i) heads = r -> get y s k i = get x s k i + r.
Proof. intros y x a heads lo hi s k i r -> n <-. unfold get. destruct heads; [contradiction | apply attention_adds].
  Qed.
Lemma heads_skip : forall a products w m how lo hi x s i hs r, pick first_label s w = None ->
  adds (fun h => head_adds h lo hi x s i) hs = r ->
  adds (fun h => head_adds h lo hi x s i) (a_head a products w m how :: hs) = r.
Proof. intros. cbn [adds]. rewrite head_miss by assumption. rewrite H0. ring. Qed.
Lemma heads_take : forall a products w m how lo hi x s i hs c f r t, pick first_label s w = Some (c, f) ->
  means reads_only f r -> multiplies products t -> adds (fun h => head_adds h lo hi x s i) hs = 0 ->
  adds (fun h => head_adds h lo hi x s i) (a_head a products w m how :: hs) =
  attention (at_row how i) (first m lo i) (last m hi i) (fun j => t (view a x i) (view a x j)) (fun j => r (view a x
    j)).
Proof. intros. cbn [adds]. rewrite (head_hit a products w m how lo hi x s i c f r t) by assumption. rewrite H2. ring.
  Qed.
Lemma norm_get : forall y x a w g b e f lo hi s k c h r i, y = step (norm_of a w g b e f) lo hi x ->
  pick (fun e : spot * form => seen a (fst e)) (label (s, k)) w = Some (c, h) -> means reads_only h r -> 0 <= real e ->
  (get y s k i - real b) * norm_deviation a w e x i = real g * (r (plain_view x i) - norm_mean a w x i).
Proof. intros y x a w g b e f lo hi s k c h r i -> p m z. unfold get. now apply normed_hit with c h. Qed.
(* --- The embedding. *)
Lemma word_left : forall W V s r, (forall d, In d V -> first_label_Q d <> s) -> word_value W s = r -> word_value (W ++
  V)%list s = r.
Proof.
  intros W V s r h <-. unfold word_value. rewrite !row_pick, !word_row_is. rewrite filter_app, map_app.
  destruct (pick fst s (map _ (filter _ W))) eqn:e; [now rewrite (pick_left _ _ _ _ _ _ e)|].
  rewrite (pick_right _ _ _ _ _ None e); [reflexivity|]. apply pick_miss. intros d i. apply in_map_iff in i. destruct i
    as [q [<- i]].
  apply filter_In in i. now apply (h q).
Qed.
Lemma word_right : forall W V s r, (forall d, In d W -> first_label_Q d <> s) -> word_value V s = r -> word_value (W ++
  V)%list s = r.
Proof.
  intros W V s r h <-. unfold word_value. rewrite !row_pick, !word_row_is. rewrite filter_app, map_app.
  assert (e : pick fst s (map (fun e : spot * Q => (label (fst e), real (snd e))) (filter (fun e : spot * Q => negb
    (zero (snd e))) W)) = None).
  { apply pick_miss. intros d i. apply in_map_iff in i. destruct i as [q [<- i]]. apply filter_In in i. now apply (h
    q). }
  now rewrite (pick_right _ _ _ _ _ _ e eq_refl).
Qed.
Lemma word_single : forall c q r, real q = r -> word_value [(c, q)] (label c) = r.
Proof.
  intros c q r <-. apply (word_hit _ _ c).
  - now apply pick_single.
  - intros d [<-|[]]. reflexivity.
Qed.
Lemma word_index : forall (F : Z -> list (spot * Q)) (E : Z -> Q) nm lo hi c r, (lo <= c <= hi)%Z -> (forall k, F k =
  [((nm, [k]), E k)]) ->
  real (E c) = r -> word_value (flat_map F (upto lo hi)) (label (nm, [c])) = r.
Proof.
  intros F E nm lo hi c r h one <-. apply (word_hit _ _ (nm, [c])).
  - apply (pick_index _ _ _ (fun k => ((nm, [k]), E k)) nm); trivial.
  - intros d i e. apply in_flat_map in i. destruct i as [k [_ i]]. rewrite one in i. destruct i as [<-|[]].
    unfold first_label_Q in e. cbn [fst] in e. now apply label_one in e as ->.
Qed.
Lemma word_indices : forall (F : Z -> Z -> list (spot * Q)) (E : Z -> Z -> Q) nm lo hi lo' hi' c d r, (lo <= c <= hi)%Z
  -> (lo' <= d <= hi')%Z ->
  (forall k l, F k l = [((nm, [k; l]), E k l)]) ->
  real (E c d) = r -> word_value (flat_map (fun k => flat_map (F k) (upto lo' hi')) (upto lo hi)) (label (nm, [c; d]))
    = r.
Proof.
  intros F E nm lo hi lo' hi' c d r h h' one <-. apply (word_hit _ _ (nm, [c; d])).
  - apply (pick_indices _ _ _ (fun k l => ((nm, [k; l]), E k l)) nm); trivial.
  - intros e i q. apply in_flat_map in i. destruct i as [k [_ i]]. apply in_flat_map in i. destruct i as [l [_ i]].
    rewrite one in i. destruct i as [<-|[]]. unfold first_label_Q in q. cbn [fst] in q. now apply label_two in q as [->
      ->].
Qed.
Lemma embedded_get : forall m w g s k i x a b c, x = embedded m w g -> from_words (words m) w (label (s, k)) i = a ->
  (if existsb (String.eqb (label (s, k))) (inputs m) then g (label (s, k)) i else 0) = b ->
  match pick fst (label (s, k)) (positions m) with Some p => snd p i | None => 0 end = c ->
  get x s k i = a + b + c.
Proof. intros m w g s k i x a b c -> <- <- <-. unfold get. apply embedded_is. Qed.
Lemma positions_hit : forall (l : list (string * (Z -> R))) s e i r, pick fst s l = Some e -> snd e i = r ->
  match pick fst s l with Some p => snd p i | None => 0 end = r :> R.
Proof. intros l s e i r -> h. exact h. Qed.
Lemma next_stage : forall m n w g ps qs rest k j hi lo, parts m = (ps ++ qs ++ rest)%list -> List.length ps = k ->
  List.length (ps ++ qs) = j -> start m = lo -> (lo + n - 1)%Z = hi -> stage m n w g j = step qs lo hi (stage m n w g
    k).
Proof.
  intros m n w g ps qs rest k j hi lo e <- <- <- <-. rewrite !stage_parts; [apply step_app | |].
  - now exists (qs ++ rest)%list.
  - exists rest. now rewrite <- app_assoc.
Qed.
(* --- Numbers, written out. *)
Lemma whole_is : forall z r, IZR z = r -> real (inject_Z z) = r. Proof. intros z r <-. apply real_whole. Qed.
Lemma plus_is : forall a b x y, real a = x -> real b = y -> real (a + b) = x + y. Proof. intros a b x y <- <-. apply
  real_plus. Qed.
Lemma minus_is : forall a b x y, real a = x -> real b = y -> real (a - b) = x - y. Proof. intros a b x y <- <-. apply
  real_minus. Qed.
Lemma times_is : forall a b x y, real a = x -> real b = y -> real (a * b) = x * y. Proof. intros a b x y <- <-. apply
  real_times. Qed.
Lemma over_is : forall a b x y, real a = x -> real b = y -> real (a / b) = x / y. Proof. intros a b x y <- <-. apply
  real_over. Qed.
Lemma neg_is : forall a x, real a = x -> real (- a) = - x. Proof. intros a x <-. apply real_neg. Qed.
Lemma adding_is : forall f a b g, (forall k, real (f k) = g k) -> real (adding f a b) = sum a b g.
Proof. intros f a b g h. rewrite real_adding. now apply sum_ext. Qed.
Lemma z_plus : forall a b x y, IZR a = x -> IZR b = y -> IZR (a + b) = x + y. Proof. intros a b x y <- <-. apply
  plus_IZR. Qed.
Lemma z_minus : forall a b x y, IZR a = x -> IZR b = y -> IZR (a - b) = x - y. Proof. intros a b x y <- <-. apply
  minus_IZR. Qed.
Lemma z_times : forall a b x y, IZR a = x -> IZR b = y -> IZR (a * b) = x * y. Proof. intros a b x y <- <-. apply
  mult_IZR. Qed.
Lemma z_neg : forall a x, IZR a = x -> IZR (- a) = - x. Proof. intros a x <-. apply opp_IZR. Qed.
Lemma z_adding : forall f a b g, (forall k, IZR (f k) = g k) -> IZR (adding_Z f a b) = sum a b g.
Proof. intros f a b g h. rewrite whole_adding. now apply sum_ext. Qed.
Lemma b_eq : forall a b x y, IZR a = x -> IZR b = y -> ((a =? b)%Z = true <-> x = y).
Proof. intros a b x y <- <-. rewrite Z.eqb_eq. split; [congruence | apply eq_IZR]. Qed.
Lemma b_le : forall a b x y, IZR a = x -> IZR b = y -> ((a <=? b)%Z = true <-> x <= y).
Proof. intros a b x y <- <-. rewrite Z.leb_le. split; [apply IZR_le | apply le_IZR]. Qed.
Lemma b_lt : forall a b x y, IZR a = x -> IZR b = y -> ((a <? b)%Z = true <-> x < y).
Proof. intros a b x y <- <-. rewrite Z.ltb_lt. split; [apply IZR_lt | apply lt_IZR]. Qed.
Lemma b_and : forall a b P Q', (a = true <-> P) -> (b = true <-> Q') -> ((a && b)%bool = true <-> P /\ Q').
Proof. intros a b P Q' <- <-. apply Bool.andb_true_iff. Qed.
Lemma b_or : forall a b P Q', (a = true <-> P) -> (b = true <-> Q') -> ((a || b)%bool = true <-> P \/ Q').
Proof. intros a b P Q' <- <-. apply Bool.orb_true_iff. Qed.
Lemma b_not : forall a P, (a = true <-> P) -> (negb a = true <-> ~ P).
Proof. intros a P <-. destruct a; cbn; intuition congruence. Qed.
Lemma q_eq : forall a b x y, real a = x -> real b = y -> (Qeq_bool a b = true <-> x = y).
Proof.
  intros a b x y <- <-. rewrite !real_Q2R. split; [intros h; apply Qeq_eqR; now apply Qeq_bool_iff | intros h; apply
    Qeq_bool_iff; now apply eqR_Qeq].
Qed.
Lemma q_le : forall a b x y, real a = x -> real b = y -> (Qle_bool a b = true <-> x <= y).
Proof.
  intros a b x y <- <-. rewrite !real_Q2R. split; [intros h; apply Qle_Rle; now apply Qle_bool_iff | intros h; apply
    Qle_bool_iff; now apply Rle_Qle].
Qed.
Lemma times_means : forall P q f a c, real q = c -> means P f a -> means P (times_f q f) (fun v => c * a v).
Proof. intros P q f a c <-. apply means_times. Qed.
Lemma over_means : forall P q f a c, real q = c -> means P f a -> means P (times_f (/ q) f) (fun v => a v / c).
Proof. intros P q f a c <-. apply means_over. Qed.
Lemma number_means : forall (P : key -> Prop) q c, real q = c -> P Alone -> means P (number q) (fun _ => c).
Proof. intros P q c <-. apply means_number. Qed.
Lemma v_known : forall q c, real q = c -> value (Known q) = c. Proof. trivial. Qed.
Lemma v_open : forall r c, r = c -> value (Open r) = c. Proof. trivial. Qed.
Lemma v_plus : forall a b x y, value a = x -> value b = y -> value (plus_s a b) = x + y. Proof. intros a b x y <- <-.
  apply value_plus. Qed.
Lemma v_minus : forall a b x y, value a = x -> value b = y -> value (minus_s a b) = x - y. Proof. intros a b x y <- <-.
  apply value_minus. Qed.
Lemma v_times : forall a b x y, value a = x -> value b = y -> value (times_s a b) = x * y. Proof. intros a b x y <- <-.
  apply value_times. Qed.
Lemma v_over : forall a b x y, value a = x -> value b = y -> value (over_s a b) = x / y. Proof. intros a b x y <- <-.
  apply value_over. Qed.
Lemma v_power : forall a k x, value a = x -> value (power_s a k) = x ^ k. Proof. intros a k x <-. apply value_power.
  Qed.
Lemma v_adding : forall f a b g, (forall k, value (f k) = g k) -> value (adding_s f a b) = sum a b g.
Proof. intros f a b g h. rewrite value_adding. now apply sum_ext. Qed.

Lemma z_square : forall a, IZR (a ^ 2) = IZR a ^ 2. Proof. intros a. rewrite (pow_IZR a 2). reflexivity. Qed.
Ltac truth := lazymatch goal with
  | |- (_ =? _)%Z = true <-> _ => eapply b_eq; whole
  | |- (_ <=? _)%Z = true <-> _ => eapply b_le; whole
  | |- (_ <? _)%Z = true <-> _ => eapply b_lt; whole
  | |- (_ && _)%bool = true <-> _ => eapply b_and; truth
  | |- (_ || _)%bool = true <-> _ => eapply b_or; truth
  | |- negb _ = true <-> _ => eapply b_not; truth
  | |- Qeq_bool _ _ = true <-> _ => eapply q_eq; number_
  | |- Qle_bool _ _ = true <-> _ => eapply q_le; number_
  end
with whole := lazymatch goal with
  | |- IZR (_ + _) = _ => eapply z_plus; whole
  | |- IZR (_ - _) = _ => eapply z_minus; whole
  | |- IZR (_ * _) = _ => eapply z_times; whole
  | |- IZR (- _) = _ => eapply z_neg; whole
  | |- IZR (one_if _) = _ => eapply whole_one_if; truth
  | |- IZR (adding_Z _ _ _) = _ => eapply z_adding; intro; cbv beta; whole
  | |- _ => reflexivity
  end
with number_ := lazymatch goal with
  | |- real (inject_Z _) = _ => eapply whole_is; whole
  | |- real (_ + _) = _ => eapply plus_is; number_
  | |- real (_ - _) = _ => eapply minus_is; number_
  | |- real (_ * _) = _ => eapply times_is; number_
  | |- real (_ / _) = _ => eapply over_is; number_
  | |- real (- _) = _ => eapply neg_is; number_
  | |- real (adding _ _ _) = _ => eapply adding_is; intro; cbv beta; number_
  | |- _ => reflexivity
  end.
Ltac meant := lazymatch goal with
  | |- means _ (number (inject_Z 0)) _ => apply means_nothing
  | |- means _ (number _) _ => eapply number_means; [number_ | exact I]
  | |- means _ (at_ _ _) _ => apply means_at; exact I
  | |- means _ (relu_f _) _ => eapply means_relu; meant
  | |- means _ (plus_f _ _) _ => eapply means_plus; meant
  | |- means _ (minus_f _ _) _ => eapply means_minus; meant
  | |- means _ (times_f (-1) _) _ => eapply means_neg; meant
  | |- means _ (times_f (/ _) _) _ => eapply over_means; [number_ | meant]
  | |- means _ (times_f _ _) _ => eapply times_means; [number_ | meant]
  | |- means _ (adding_f _ _ _) _ => eapply means_adding; intro; cbv beta; meant
  end.
Ltac multiplied := lazymatch goal with
  | |- multiplies nil _ => apply multiplies_none
  | |- multiplies [(_, _)] _ => eapply multiplies_one; meant
  | |- multiplies (_ ++ _)%list _ => eapply multiplies_app; multiplied
  | |- multiplies (flat_map _ (upto _ _)) _ => eapply multiplies_flat; intro; cbv beta; multiplied
  end.
Ltac summed := lazymatch goal with
  | |- sums [(_, _)] _ => eapply sums_one; meant
  | |- sums (_ ++ _)%list _ => eapply sums_app; summed
  | |- sums (flat_map _ (upto _ _)) _ => eapply sums_flat; intro; cbv beta; summed
  end.

Ltac inside := split; apply le_IZR; rewrite ?z_square, ?plus_IZR, ?minus_IZR, ?mult_IZR, ?opp_IZR;
  repeat progress rewrite ?z_square, ?plus_IZR, ?minus_IZR, ?mult_IZR, ?opp_IZR; try assumption; lra.
Definition misses {A} (f : A -> string) (w : list A) (s : string) : Prop := forall d k, In d w -> f d <> label (s, k).
Lemma miss_nil : forall A (f : A -> string) s, misses f nil s. Proof. intros A f s d k []. Qed.
Lemma miss_app : forall A (f : A -> string) l r s, misses f l s -> misses f r s -> misses f (l ++ r) s.
Proof. intros A f l r s h g d k i. apply in_app_or in i. destruct i; auto. Qed.
Lemma miss_flat : forall A (f : A -> string) F lo hi s, (forall k, misses f (F k) s) -> misses f (flat_map F (upto lo
  hi)) s.
Proof. intros A f F lo hi s h d k i. apply in_flat_map in i. destruct i as [j [_ i]]. now apply (h j). Qed.
Lemma miss_one : forall A (f : A -> string) e nm k s, f e = label (nm, k) -> apart nm s = true -> misses f [e] s.
Proof. intros A f e nm k s h i d j [<-|[]]. rewrite h. now apply apart_labels. Qed.
Lemma pick_missed : forall A (f : A -> string) w s k, misses f w s -> pick f (label (s, k)) w = None.
Proof. intros A f w s k h. apply pick_miss. intros d i. now apply h. Qed.
Lemma get_same : forall (y x : stream) s, (forall k i, y (label (s, k)) i = x (label (s, k)) i) -> get y s = get x s.
Proof. intros y x s h. apply functional_extensionality. intros k. apply functional_extensionality. intros i. apply h.
  Qed.
Lemma network_kept : forall y x a w lo hi s, y = step (network_of a w) lo hi x -> misses first_label w s -> get y s =
  get x s.
Proof. intros y x a w lo hi s -> h. apply get_same. intros k i. now apply network_miss, pick_missed. Qed.
Definition all_miss (heads : list head) (s : string) : Prop := forall h lo hi x k i, In h heads -> head_adds h lo hi x
  (label (s, k)) i = 0.
Lemma miss_heads_nil : forall s, all_miss nil s. Proof. intros s h lo hi x k i []. Qed.
Lemma miss_heads : forall a products w m how hs s, misses first_label w s -> all_miss hs s -> all_miss (a_head a
  products w m how :: hs) s.
Proof. intros a products w m how hs s h g d lo hi x k i [<-|j]; [now apply head_miss, pick_missed | now apply g]. Qed.
Lemma attention_kept : forall y x a heads lo hi s, y = step (attention_of a heads) lo hi x -> heads <> nil -> all_miss
  heads s -> get y s = get x s.
Proof.
  intros y x a heads lo hi s -> n h. apply get_same. intros k i. destruct heads as [|d l]; [contradiction|].
  rewrite attention_adds, adds_none; [ring|]. intros e j. now apply h.
Qed.
Lemma norm_kept : forall y x a w g b e f lo hi s, y = step (norm_of a w g b e f) lo hi x -> misses (fun e : spot * form
  => seen a (fst e)) w s -> get y s = get x s.
Proof. intros y x a w g b e f lo hi s -> h. apply get_same. intros k i. now rewrite normed_miss by now apply
  pick_missed. Qed.
Lemma word_missed : forall W s k, misses first_label_Q W s -> word_value W (label (s, k)) = 0.
Proof. intros W s k h. apply word_miss. intros d i. now apply h. Qed.
Lemma word_in_left : forall W V s k r, misses first_label_Q V s -> word_value W (label (s, k)) = r -> word_value (W ++
  V)%list (label (s, k)) = r.
Proof. intros W V s k r h g. apply word_left; [|exact g]. intros d i. now apply h. Qed.
Lemma word_in_right : forall W V s k r, misses first_label_Q W s -> word_value V (label (s, k)) = r -> word_value (W ++
  V)%list (label (s, k)) = r.
Proof. intros W V s k r h g. apply word_right; [|exact g]. intros d i. now apply h. Qed.
Lemma position_missed : forall (l : list (string * (Z -> R))) s k i, misses fst l s ->
  match pick fst (label (s, k)) l with Some p => snd p i | None => 0 end = 0.
Proof. intros l s k i h. now rewrite pick_missed. Qed.
Lemma input_missed : forall l s k (r : R), misses (fun d : string => d) l s -> (if existsb (String.eqb (label (s, k)))
  l then r else 0) = 0.
Proof. intros l s k r h. rewrite input_miss; [reflexivity|]. intros d i. now apply h. Qed.
Lemma network_at : forall y x a w lo hi s k e r i, y = step (network_of a w) lo hi x ->
  pick first_label (label (s, k)) w = Some e -> means entry (snd e) r -> get y s k i = get x s k i + r (view a x i).
Proof. intros y x a w lo hi s k [c f] r i h p m. now apply (network_get y x a w lo hi s k c f r i). Qed.
Lemma heads_hit : forall a products w m how lo hi x s i hs e r t, pick first_label s w = Some e ->
  means reads_only (snd e) r -> multiplies products t -> adds (fun h => head_adds h lo hi x s i) hs = 0 ->
  adds (fun h => head_adds h lo hi x s i) (a_head a products w m how :: hs) =
  attention (at_row how i) (first m lo i) (last m hi i) (fun j => t (view a x i) (view a x j)) (fun j => r (view a x
    j)).
Proof. intros a products w m how lo hi x s i hs [c f] r t. apply heads_take. Qed.
Lemma norm_at : forall y x a w g b e f lo hi s k d r i, y = step (norm_of a w g b e f) lo hi x ->
  pick (fun e : spot * form => seen a (fst e)) (label (s, k)) w = Some d -> means reads_only (snd d) r -> 0 <= real e ->
  (get y s k i - real b) * norm_deviation a w e x i = real g * (r (plain_view x i) - norm_mean a w x i).
Proof. intros y x a w g b e f lo hi s k [c h] r i. apply norm_get. Qed.

Ltac missed := lazymatch goal with
  | |- misses _ nil _ => apply miss_nil
  | |- misses _ (_ ++ _)%list _ => apply miss_app; missed
  | |- misses _ (flat_map _ (upto _ _)) _ => apply miss_flat; intro; cbv beta; missed
  | |- misses (fun e => seen ?a (fst e)) [((?s, ?k), _)] _ =>
      with_name a s ltac:(fun t => apply (miss_one _ _ _ t k); [called | apart_])
  | |- misses _ [((?s, ?k), _)] _ => apply (miss_one _ _ _ s k); [reflexivity | apart_]
  | |- misses _ [(label (?s, ?k), _)] _ => apply (miss_one _ _ _ s k); [reflexivity | apart_]
  | |- misses _ [label (?s, ?k)] _ => apply (miss_one _ _ _ s k); [reflexivity | apart_]
  end.
Ltac heads_missed := lazymatch goal with
  | |- all_miss nil _ => apply miss_heads_nil
  | |- all_miss (_ :: _) _ => apply miss_heads; [missed | heads_missed]
  end.
Ltac picked := lazymatch goal with
  | |- pick _ _ [_] = _ => apply pick_single; called
  | |- pick _ _ (_ ++ _)%list = _ => first [apply pick_left; picked | apply pick_right; [apply pick_missed; missed |
    picked]]
  | |- pick _ (label (?s, [_; _])) _ = _ => eapply (pick_indices _ _ _ _ s); [inside | inside | called | called]
  | |- pick _ (label (?s, [_])) _ = _ => eapply (pick_index _ _ _ _ s); [inside | called | called]
  end.
Ltac attended_ := lazymatch goal with
  | |- adds _ nil = _ => reflexivity
  | |- adds _ (_ :: _) = _ => first
      [ eapply heads_skip; [apply pick_missed; missed | attended_]
      | eapply heads_hit; [picked | cbn [snd]; meant | multiplied | attended_] ]
  end.
Ltac valued := lazymatch goal with
  | |- value (Known _) = _ => eapply v_known; number_
  | |- value (Open (ind (_ = _))) = _ => eapply v_open; apply ind_ext; eapply eq_both; valued
  | |- value (Open (ind (_ <= _))) = _ => eapply v_open; apply ind_ext; eapply le_both; valued
  | |- value (Open (ind (_ < _))) = _ => eapply v_open; apply ind_ext; eapply lt_both; valued
  | |- value (Open (power (real _) _)) = _ => eapply v_open; apply f_equal2; [number_ | reflexivity]
  | |- value (Open _) = _ => apply v_open; reflexivity
  | |- value (plus_s _ _) = _ => eapply v_plus; valued
  | |- value (minus_s _ _) = _ => eapply v_minus; valued
  | |- value (times_s _ _) = _ => eapply v_times; valued
  | |- value (over_s _ _) = _ => eapply v_over; valued
  | |- value (power_s _ _) = _ => eapply v_power; valued
  | |- value (adding_s _ _ _) = _ => eapply v_adding; intro; cbv beta; valued
  end.
Ltac worded := first
  [ apply word_missed; missed
  | lazymatch goal with
    | |- word_value [_] _ = _ => eapply word_single; number_
    | |- word_value (_ ++ _)%list _ = _ => first [eapply word_in_left; [missed | worded] | eapply word_in_right;
      [missed | worded]]
    | |- word_value _ (label (?s, [_; _])) = _ => eapply (word_indices _ _ s); [inside | inside | intros; reflexivity |
      cbv beta; number_]
    | |- word_value _ (label (?s, [_])) = _ => eapply (word_index _ _ s); [inside | intros; reflexivity | cbv beta;
      number_]
    end ].
Ltac positioned := first
  [ apply position_missed; missed
  | eapply positions_hit; [picked | cbn [snd]; valued] ].
Ltac taken := (* bounds of indices *)
  intros; repeat match goal with h : _ /\ _ |- _ => destruct h end.
Ltac viewed :=
  cbv beta; unfold view, plain_view; cbn [fst snd];
  repeat match goal with |- context [named ?a ?s] => with_name a s ltac:(fun t => change (named a s) with t) end;
  autorewrite with kept; cbv beta.
Ltac agree := first [reflexivity | ring | same].

Definition clash_free (a : around) (w z : writes) : Prop := forall d e, In d w -> In e z -> seen a (fst d) <> seen a
  (fst e).
Lemma free_left : forall a w w' z, clash_free a w z -> clash_free a w' z -> clash_free a (w ++ w')%list z.
Proof. intros a w w' z h g d e i j. apply in_app_or in i. destruct i; auto. Qed.
Lemma free_right : forall a w z z', clash_free a w z -> clash_free a w z' -> clash_free a w (z ++ z')%list.
Proof. intros a w z z' h g d e i j. apply in_app_or in j. destruct j; auto. Qed.
Lemma free_flat_left : forall a F lo hi z, (forall k, clash_free a (F k) z) -> clash_free a (flat_map F (upto lo hi)) z.
Proof. intros a F lo hi z h d e i j. apply in_flat_map in i. destruct i as [k [_ i]]. now apply (h k). Qed.
Lemma free_flat_right : forall a F lo hi w, (forall k, clash_free a w (F k)) -> clash_free a w (flat_map F (upto lo
  hi)).
Proof. intros a F lo hi w h d e i j. apply in_flat_map in j. destruct j as [k [_ j]]. now apply (h k). Qed.
Lemma free_one : forall a s t k l f g n m, seen a (s, k) = label (n, k) -> seen a (t, l) = label (m, l) -> apart n m =
  true ->
  clash_free a [((s, k), f)] [((t, l), g)].
Proof. intros a s t k l f g n m h h' q d e [<-|[]] [<-|[]]. cbn [fst]. rewrite h, h'. now apply apart_labels. Qed.
Lemma apart_app : forall a w z, apart_all a w -> apart_all a z -> clash_free a w z -> apart_all a (w ++ z)%list.
Proof.
  intros a w z h g x d e id ie l. apply in_app_or in id, ie. destruct id as [id|id], ie as [ie|ie]; auto.
  - now destruct (x d e id ie).
  - now destruct (x e d ie id).
Qed.
Ltac unclashed := lazymatch goal with
  | |- clash_free _ (_ ++ _)%list _ => apply free_left; unclashed
  | |- clash_free _ _ (_ ++ _)%list => apply free_right; unclashed
  | |- clash_free _ (flat_map _ (upto _ _)) _ => apply free_flat_left; intro; cbv beta; unclashed
  | |- clash_free _ _ (flat_map _ (upto _ _)) => apply free_flat_right; intro; cbv beta; unclashed
  | |- clash_free ?a [((?s, _), _)] [((?t, _), _)] =>
      with_name a s ltac:(fun n => with_name a t ltac:(fun m =>
        apply (free_one a s t _ _ _ _ n m); [called | called | apart_]))
  end.
Ltac aparted := lazymatch goal with
  | |- apart_all _ (_ ++ _)%list => apply apart_app; [aparted | aparted | unclashed]
  | |- apart_all _ [_] => apply apart_single
  | |- apart_all ?a (flat_map (fun k => [((?s, _), _)]) (upto _ _)) =>
      with_name a s ltac:(fun t => eapply (apart_index a _ _ t); [intros; reflexivity | called])
  end.
Lemma attention_then : forall (P : R -> Prop) y x a heads lo hi s k i r, y = step (attention_of a heads) lo hi x ->
  heads <> nil ->
  adds (fun h => head_adds h lo hi x (label (s, k)) i) heads = r -> P (get x s k i + r) -> P (get y s k i).
Proof. intros P y x a heads lo hi s k i r h n e p. now rewrite (attention_get y x a heads lo hi s k i r h n e). Qed.
Lemma norm_then : forall l rhs y x a w g b e f lo hi s k d r i g' b', y = step (norm_of a w g b e f) lo hi x ->
  pick (fun e : spot * form => seen a (fst e)) (label (s, k)) w = Some d -> means reads_only (snd d) r -> 0 <= real e ->
  real g = g' -> real b = b' -> (get y s k i - b') * norm_deviation a w e x i = l -> g' * (r (plain_view x i) -
    norm_mean a w x i) = rhs -> l = rhs.
Proof. intros l rhs y x a w g b e f lo hi s k d r i g' b' m p q z <- <- <- <-. now apply (norm_at y x a w g b e f lo hi
  s k d r i). Qed.
Lemma above_from : forall m n w g a wr e k gn bs i lo hi, has_run m n w g ->
  nth_error (parts m) k = Some (Beside (map label (columns_of a wr)) (names_of a wr) (matrix_of (map snd wr)
    (columns_of a wr))) ->
  nth_error (parts m) (S k) = Some (Norm (names_of a wr) gn bs (real e) true) -> start m = lo -> (lo + n - 1)%Z = hi ->
    (lo <= i <= hi)%Z ->
  0 < norm_deviation a wr e (stage m n w g k) i.
Proof.
  intros m n w g a wr e k gn bs i lo hi [_ h] one two <- <- [p q]. specialize (h (S k) _ two). cbn [possible] in h.
  assert (z : IZR (start m) <= IZR i <= IZR (start m + n - 1)) by (split; apply IZR_le; lia).
  specialize (h i z). cbn [stage] in h. rewrite one in h. exact h.
Qed.
Ltac bounded lo hi i := (* the position as an integer *)
  assert (lo <= i <= hi)%Z by (split; apply le_IZR; rewrite ?minus_IZR; lra).
Ltac headed := lazymatch goal with
  | |- _ /\ _ => split; [headed | let e := fresh in intros e; rewrite <- ?minus_IZR in e; apply eq_IZR in e;
      rewrite attention_none by lia; ring]
  | |- _ => first [settled | averaged]
  end.
Lemma words_missed : forall (W : Z -> list (spot * Q)) l w s k i, (forall t, misses first_label_Q (W t) s) ->
  from_words (map (fun t : Z => (t, word_row (W t))) l) w (label (s, k)) i = 0.
Proof.
  intros W l w s k i h. induction l as [|t l ih]; [reflexivity|]. cbn [map from_words]. rewrite ih.
  assert (z := word_missed (W t) s k (h t)). unfold word_value in z. destruct (row _ _ _) as [v|]; cbn [option_map
    plus]; [rewrite z; ring | ring].
Qed.
Lemma kept_nothing : forall s : string, "kept" ++ "" ++ s = "kept" ++ s. Proof. reflexivity. Qed.
#[export] Hint Rewrite kept_nothing : kept.

(* --- Rounds. *)
Fixpoint numbered_from (s : nat) (ls : list (Z -> list part)) : list part :=
  match ls with nil => nil | l :: ls => (l (Z.of_nat s) ++ numbered_from (S s) ls)%list end.
Lemma numbered_one : forall ls, numbered ls = numbered_from 1 ls.
Proof.
  intros ls. unfold numbered. generalize 1%nat. induction ls as [|l ls ih]; intros s; [reflexivity|].
  cbn [List.length seq map combine flat_map fst snd numbered_from]. now rewrite ih.
Qed.
Lemma upto_first : forall a b, (a <= b)%Z -> upto a b = a :: upto (a + 1) b.
Proof.
  intros a b h. unfold upto. replace (Z.to_nat (b - a + 1)) with (S (Z.to_nat (b - (a + 1) + 1))) by lia.
  cbn [seq map]. f_equal; [lia|]. rewrite <- seq_shift, map_map. apply map_ext. intros x. lia.
Qed.
Lemma upto_none : forall a b, (b < a)%Z -> upto a b = nil.
Proof. intros a b h. unfold upto. now replace (Z.to_nat (b - a + 1)) with O by lia. Qed.
Lemma numbered_app : forall l r s, numbered_from s (l ++ r) = (numbered_from s l ++ numbered_from (s + List.length l)
  r)%list.
Proof.
  induction l as [|x l ih]; intros r s; cbn [app numbered_from List.length]; [now rewrite Nat.add_0_r|].
  rewrite ih, app_assoc. do 2 f_equal. lia.
Qed.
(* the number of a layer in a round is that of the first and what the rounds before it have *)
Lemma numbered_rounds : forall (F : Z -> list (Z -> list part)) (G : Z -> list part) p lo hi s rest,
  (forall t, List.length (F t) = p) ->
  (forall t r, Z.of_nat r = (Z.of_nat s + Z.of_nat p * (t - lo))%Z -> numbered_from r (F t) = G t) ->
  numbered_from s (flat_map F (upto lo hi) ++ rest) =
  (flat_map G (upto lo hi) ++ numbered_from (s + p * Z.to_nat (hi - lo + 1)) rest)%list.
Proof.
  intros F G p lo hi s rest len h. remember (Z.to_nat (hi - lo + 1)) as k eqn:e. revert lo s e h.
  induction k as [|k ih]; intros lo s e h.
  - rewrite upto_none by lia. cbn [flat_map app]. now rewrite Nat.mul_0_r, Nat.add_0_r.
  - rewrite upto_first by lia. cbn [flat_map]. rewrite <- !app_assoc, numbered_app. f_equal; [apply h; lia|].
    rewrite len. rewrite (ih (lo + 1)%Z) by (try lia; intros t r q; apply h; rewrite q; lia). do 2 f_equal. lia.
Qed.
Lemma numbered_last : forall (F : Z -> list (Z -> list part)) (G : Z -> list part) p lo hi s,
  (forall t, List.length (F t) = p) ->
  (forall t r, Z.of_nat r = (Z.of_nat s + Z.of_nat p * (t - lo))%Z -> numbered_from r (F t) = G t) ->
  numbered_from s (flat_map F (upto lo hi)) = flat_map G (upto lo hi).
Proof.
  intros F G p lo hi s len h. rewrite <- (app_nil_r (flat_map F _)), (numbered_rounds F G p) by assumption.
  apply app_nil_r.
Qed.
Lemma upto_split : forall lo t hi, (lo <= t <= hi)%Z -> upto lo hi = (upto lo (t - 1) ++ t :: upto (t + 1) hi)%list.
Proof.
  intros lo t hi h. replace lo with (t - Z.of_nat (Z.to_nat (t - lo)))%Z by lia.
  assert (g : (t - Z.of_nat (Z.to_nat (t - lo)) <= t)%Z) by lia. revert g. generalize (Z.to_nat (t - lo)). intros k g.
  induction k as [|k ih].
  - rewrite Z.sub_0_r. rewrite (upto_first t hi) by lia. unfold upto at 2. replace (Z.to_nat (t - 1 - t + 1)) with O by
    lia. reflexivity.
  - rewrite (upto_first (t - Z.of_nat (S k)) hi), (upto_first (t - Z.of_nat (S k)) (t - 1)) by lia.
    replace (t - Z.of_nat (S k) + 1)%Z with (t - Z.of_nat k)%Z by lia. rewrite ih by lia. reflexivity.
Qed.
Lemma rounds_length : forall (F : Z -> list part) p lo hi, (forall t, List.length (F t) = p) ->
  List.length (flat_map F (upto lo hi)) = (p * Z.to_nat (hi - lo + 1))%nat.
Proof.
  intros F p lo hi h. unfold upto. rewrite flat_map_concat_map, map_map. induction (Z.to_nat (hi - lo + 1)) as [|k ih];
    [cbn; lia|].
  rewrite seq_S, map_app, concat_app, app_length, ih. cbn [map List.concat]. rewrite app_nil_r, h. lia.
Qed.
Lemma round_stage : forall m n w g pre F low high post p base t ps qs rest j j' lo hi,
  parts m = (pre ++ flat_map F (upto low high) ++ post)%list -> (forall t, List.length (F t) = p) -> List.length pre =
    base ->
  (low <= t <= high)%Z -> F t = (ps ++ qs ++ rest)%list -> List.length ps = j -> List.length (ps ++ qs) = j' ->
  start m = lo -> (lo + n - 1)%Z = hi ->
  stage m n w g (base + p * Z.to_nat (t - low) + j') = step qs lo hi (stage m n w g (base + p * Z.to_nat (t - low) +
    j)).
Proof.
  intros m n w g pre F low high post p base t ps qs rest j j' lo hi e len <- b f <- <- <- <-.
  assert (l : List.length (flat_map F (upto low (t - 1))) = (p * Z.to_nat (t - low))%nat).
  { rewrite (rounds_length F p) by assumption. do 2 f_equal. lia. }
  apply (next_stage m n w g (pre ++ flat_map F (upto low (t - 1)) ++ ps)%list qs (rest ++ flat_map F (upto (t + 1)
    high) ++ post)%list); trivial.
  - rewrite e, (upto_split low t high b), flat_map_app. cbn [flat_map]. rewrite f. rewrite !app_assoc. reflexivity.
  - rewrite !app_length, l. lia.
  - rewrite !app_length, l. lia.
Qed.
Lemma round_part : forall (ps pre post : list part) F low high p base t j x,
  ps = (pre ++ flat_map F (upto low high) ++ post)%list -> (forall t, List.length (F t) = p) -> List.length pre = base ->
  (low <= t <= high)%Z -> nth_error (F t) j = Some x -> nth_error ps (base + p * Z.to_nat (t - low) + j) = Some x.
Proof.
  intros ps pre post F low high p base t j x -> len <- b h.
  assert (l : List.length (flat_map F (upto low (t - 1))) = (p * Z.to_nat (t - low))%nat).
  { rewrite (rounds_length F p) by assumption. do 2 f_equal. lia. }
  rewrite (upto_split low t high b), flat_map_app, <- !app_assoc. cbn [flat_map].
  rewrite nth_error_app2 by lia. rewrite nth_error_app2 by lia. rewrite l, <- app_assoc, nth_error_app1.
  - rewrite <- h. f_equal. lia.
  - replace (_ - _ - _)%nat with j by lia. apply nth_error_Some. congruence.
Qed.
Lemma behind_part : forall (ps pre post : list part) F low high p base j x,
  ps = (pre ++ flat_map F (upto low high) ++ post)%list -> (forall t, List.length (F t) = p) -> List.length pre = base ->
  nth_error post j = Some x -> nth_error ps (base + p * Z.to_nat (high - (low - 1)) + j) = Some x.
Proof.
  intros ps pre post F low high p base j x -> len <- h.
  assert (l := rounds_length F p low high len). replace (high - (low - 1))%Z with (high - low + 1)%Z by lia.
  rewrite app_assoc, nth_error_app2; rewrite app_length, l; [|lia]. rewrite <- h. f_equal. lia.
Qed.
Lemma behind_stage : forall m n w g pre F low high post p base ps qs rest j j' lo hi,
  parts m = (pre ++ flat_map F (upto low high) ++ post)%list -> (forall t, List.length (F t) = p) -> List.length pre =
    base ->
  post = (ps ++ qs ++ rest)%list -> List.length ps = j -> List.length (ps ++ qs) = j' ->
  start m = lo -> (lo + n - 1)%Z = hi ->
  stage m n w g (base + p * Z.to_nat (high - (low - 1)) + j') = step qs lo hi (stage m n w g (base + p * Z.to_nat (high
    - (low - 1)) + j)).
Proof.
  intros m n w g pre F low high post p base ps qs rest j j' lo hi e len <- f <- <- <- <-.
  assert (l := rounds_length F p low high len). replace (high - (low - 1))%Z with (high - low + 1)%Z by lia.
  apply (next_stage m n w g (pre ++ flat_map F (upto low high) ++ ps)%list qs rest); trivial.
  - rewrite e, f, !app_assoc. reflexivity.
  - rewrite !app_length, l. lia.
  - rewrite !app_length, l. lia.
Qed.
Lemma unchanged : forall (behind : Z -> stream) s lo hi x, behind (lo - 1)%Z = x ->
  (forall t, (lo <= t <= hi)%Z -> get (behind t) s = get (behind (t - 1)%Z) s) -> forall t, (lo - 1 <= t <= hi)%Z ->
    get (behind t) s = get x s.
Proof.
  intros behind s lo hi x <- h t [a b]. replace t with (lo - 1 + Z.of_nat (Z.to_nat (t - (lo - 1))))%Z in * by lia.
  generalize dependent (Z.to_nat (t - (lo - 1))). intros k. induction k as [|k ih]; intros a b; [now rewrite
    Z.add_0_r|].
  rewrite h by lia. replace (lo - 1 + Z.of_nat (S k) - 1)%Z with (lo - 1 + Z.of_nat k)%Z by lia. apply ih; lia.
Qed.
(* --- Temperatures. *)
Lemma steady_minus : forall a b, steady a -> steady b -> steady (fun i => minus_s (a i) (b i)).
Proof.
  both_steady.
  - left. exists (Qred (x - y)). intros i. now rewrite e, f.
  - right. destruct (zero x) eqn:z; [exists (fun i => - y i) | exists (fun i => real x - y i)]; intros i; rewrite e, f;
    cbn [minus_s]; now rewrite z.
  - right. destruct (zero y) eqn:z; [exists x | exists (fun i => x i - real y)]; intros i; rewrite e, f; cbn [minus_s];
    now rewrite z.
  - right. exists (fun i => x i - y i). intros i. now rewrite e, f.
Qed.
Ltac steadied := lazymatch goal with
  | |- steady (fun i => plus_s _ _) => apply steady_plus; steadied
  | |- steady (fun i => minus_s _ _) => apply steady_minus; steadied
  | |- steady (fun i => over_s _ _) => apply steady_over; steadied
  | |- steady (fun i => power_s _ _) => apply steady_power; steadied
  | |- steady (fun i => Known _) => apply steady_known
  | |- steady (fun i => Open (@?r i)) => apply (steady_open r)
  end.
Ltac warmed :=
  repeat match goal with |- context [at_row (by_row ?c ?T) ?i] => rewrite (by_row_is c T i) by steadied end;
  cbv beta;
  repeat match goal with |- context [value ?s] =>
    let r := fresh in let e := fresh in evar (r : R); assert (e : value s = r) by (unfold r; valued); rewrite e; unfold
      r; clear e r end;
  repeat match goal with |- context [softmax (real ?q) _] =>
    let r := fresh in let e := fresh in evar (r : R); assert (e : real q = r) by (unfold r; number_); rewrite e; unfold
      r; clear e r end.
Ltac seen_heads := cbv beta; cbn [at_row first last chosen]; warmed.
