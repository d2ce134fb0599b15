(* A family as a function to `model`, for one family, `network`: the function is of its sizes and tables. The relation that
   statements suppose, and the constant of the stored instance, are put in by the test. *)
From Coq Require Import Reals ZArith Lia Lra List String DecimalString DecimalZ Decimal.
From Symcook Require Import Meaning Laws Model.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

(* x1, x2, ...: a coordinate with an index *)
Definition label (name : string) (k : Z) : string := name ++ NilEmpty.string_of_int (Z.to_int k).
Definition upto (a b : Z) : list Z := map (fun k => (a + Z.of_nat k)%Z) (seq 0 (Z.to_nat (b - a + 1))).

Definition family_network (d h e : Z) (W : Z -> Z -> R) (b : Z -> R) (V : Z -> Z -> R) (c : Z -> R) : model := {|
  start := 1; longest := None; words := []; typed := []; before := None; after_last := None;
  inputs := map (label "z") (upto 1 d);
  positions := [];
  parts := [Network (map (label "z") (upto 1 d)) (map (label "out") (upto 1 e))
              (map (fun u => map (W u) (upto 1 d)) (upto 1 h)) (map b (upto 1 h))
              (map (fun r => map (V r) (upto 1 h)) (upto 1 e)) (map c (upto 1 e)) relu_units];
  readout := None
|}.

(* a table by its entries *)
Definition entry (values : list R) (k : Z) : R := nth (Z.to_nat (k - 1)) values 0.
Definition entries (rows : list (list R)) (u l : Z) : R := entry (nth (Z.to_nat (u - 1)) rows nil) l.

(* STORED *)
(* the stored instance is the function's value, by computation alone *)
Theorem stored : forall n, network_of_three n =
  family_network 2 3 2 (entries [[1; 0]; [1; -1]; [0; 2]]) (entry [0; 1; - (1 / 2)]) (entries [[1; -1; 0]; [0; 2; 1]])
    (entry [0; 1]).
Proof. reflexivity. Qed.

Lemma label_same : forall s a b, label s a = label s b -> a = b.
Proof.
  intros s a b h. assert (e : NilEmpty.string_of_int (Z.to_int a) = NilEmpty.string_of_int (Z.to_int b)).
  { unfold label in h. induction s as [|x s ih]; [exact h|]. injection h. exact ih. }
  apply (f_equal NilEmpty.int_of_string) in e. rewrite !NilEmpty.isi in e.
  rewrite <- (of_to a), <- (of_to b). congruence.
Qed.
Lemma in_upto : forall a b k, In k (upto a b) <-> (a <= k <= b)%Z.
Proof.
  intros a b k. unfold upto. rewrite in_map_iff. split.
  - intros [j [<- h]]. apply in_seq in h. lia.
  - intros h. exists (Z.to_nat (k - a)). rewrite in_seq. lia.
Qed.
Lemma row_label : forall A s (f : Z -> A) r l, In r l -> row (label s r) (map (label s) l) (map f l) = Some (f r).
Proof.
  intros A s f r l. induction l as [|x l ih]; [intros []|]. intros [<-|h]; cbn [map row].
  - now rewrite String.eqb_refl.
  - destruct (String.eqb_spec (label s r) (label s x)) as [e|_]; [now rewrite (label_same _ _ _ e) | auto].
Qed.
Lemma row_apart : forall A s t (f : Z -> A) r l, (forall x, label s r <> label t x) -> row (label s r) (map (label t) l) (map f l) = None.
Proof.
  intros A s t f r l d. induction l as [|x l ih]; [reflexivity|]. cbn [map row].
  destruct (String.eqb_spec (label s r) (label t x)) as [e|_]; [now destruct (d x) | exact ih].
Qed.
Lemma combine_maps : forall A B (f : Z -> A) (g : Z -> B) l, combine (map f l) (map g l) = map (fun k => (f k, g k)) l.
Proof. intros A B f g l. induction l as [|x l ih]; [reflexivity|]. cbn. now rewrite ih. Qed.
Fixpoint added (f : Z -> R) (l : list Z) : R := match l with nil => 0 | k :: l => f k + added f l end.
Lemma added_end : forall f l k, added f (l ++ [k]) = added f l + f k.
Proof. intros f l k. induction l as [|x l ih]; cbn; [ring | rewrite ih; ring]. Qed.
Lemma added_upto : forall f a b, added f (upto a b) = sum a b f.
Proof.
  intros f a b. unfold upto, sum. induction (Z.to_nat (b - a + 1)) as [|k ih]; [reflexivity|].
  rewrite seq_S, map_app. cbn [map]. rewrite added_end, ih. reflexivity.
Qed.
Lemma dot_added : forall f g x i l, dot (map f l) (map g l) x i = added (fun k => f k * x (g k) i) l.
Proof. intros f g x i l. induction l as [|k l ih]; [reflexivity|]. cbn. now rewrite ih. Qed.
Lemma product_added : forall f g l, product (map f l) (map g l) = added (fun k => f k * g k) l.
Proof. intros f g l. induction l as [|k l ih]; [reflexivity|]. cbn. now rewrite ih. Qed.
Lemma units_map : forall a (W : Z -> list R) (b : Z -> R) names x i (l : list Z),
  units a (map W l) (map b l) names x i = map (fun u => activated a (dot (W u) names x i + b u)) l.
Proof. intros a W b names x i l. induction l as [|u l ih]; [reflexivity|]. cbn. now rewrite ih. Qed.

(* RELATION *)
(* it holds of the run, for all sizes and tables, and of nothing else *)
Theorem runs : forall d h e W b V c n w given i, let x := stage (family_network d h e W b V c) n w given in
  relation d h e W b V c (fun l => x 0%nat (label "z" l) i) (fun r => x 1%nat (label "out" r) i).
Proof.
  intros d h e W b V c n w given i x r [low%le_IZR high%le_IZR]. unfold x.
  cbn [stage parts family_network nth_error after].
  rewrite combine_maps, row_label by now apply in_upto. cbn [option_map plus fst snd].
  rewrite units_map, product_added, added_upto.
  assert (z : embedded (family_network d h e W b V c) w given (label "out" r) i = 0).
  { rewrite embedded_absent; [reflexivity|]. unfold absent.
    cbn [words inputs positions family_network existsb map member orb].
    assert (m : forall l, member (label "out" r) (map (label "z") l) = false).
    { intros l. induction l as [|k l ih]; [reflexivity|]. cbn [map member]. now rewrite ih. }
    now rewrite m. }
  rewrite z. rewrite Rplus_0_l. f_equal. apply sum_ext; try reflexivity. intros u. cbn [activated].
  rewrite dot_added, added_upto. reflexivity.
Qed.
Theorem only : forall d h e W b V c n w given i z out, let x := stage (family_network d h e W b V c) n w given in
  (forall l : Z, (1 <= l <= d)%Z -> z l = x 0%nat (label "z" l) i) -> relation d h e W b V c z out ->
  forall r : Z, (1 <= r <= e)%Z -> out r = x 1%nat (label "out" r) i.
Proof.
  intros d h e W b V c n w given i z out x same holds r g. assert (q : 1 <= IZR r <= IZR e) by (split; apply IZR_le; lia).
  assert (p := runs d h e W b V c n w given i r q). rewrite (holds r q). fold x in p. cbv beta in p. rewrite p.
  f_equal. apply sum_within. intros u _. do 3 f_equal. apply sum_within. intros l k. now rewrite (same l k).
Qed.
