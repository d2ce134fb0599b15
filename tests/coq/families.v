(* Families as functions to `model`, for some of them: the function is of the sizes and tables. What they share comes
   first; then each begins with FAMILY, its name, and its stored instance. There the test puts the constant of that
   instance, and the relation that statements suppose, as NAME_relation. *)
From Coq Require Import Reals ZArith Lia Lra List String DecimalString DecimalZ Decimal.
From Coq Require Import Classical_Prop ClassicalEpsilon FinFun FunctionalExtensionality.
From Symcook Require Import Meaning Laws Model.
Import ListNotations.
Open Scope string_scope.
Open Scope R_scope.

(* x1, x2, ...: a coordinate with an index *)
Definition label (name : string) (k : Z) : string := name ++ NilEmpty.string_of_int (Z.to_int k).
Definition upto (a b : Z) : list Z := map (fun k => (a + Z.of_nat k)%Z) (seq 0 (Z.to_nat (b - a + 1))).

(* a table by its entries *)
Definition entry (values : list R) (k : Z) : R := nth (Z.to_nat (k - 1)) values 0.
Definition entries (rows : list (list R)) (u l : Z) : R := entry (nth (Z.to_nat (u - 1)) rows nil) l.

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
Lemma row_apart : forall A s t (f : Z -> A) r l, (forall x, label s r <> label t x) ->
  row (label s r) (map (label t) l) (map f l) = None.
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
Lemma nth_upto : forall a b k, (a <= k <= b)%Z -> nth_error (upto a b) (Z.to_nat (k - a)) = Some k.
Proof.
  intros a b k h. unfold upto. rewrite nth_error_map, (nth_error_nth' _ 0%nat) by (rewrite seq_length; lia).
  rewrite seq_nth by lia. cbn. f_equal. lia.
Qed.
Lemma stage_next : forall m n w given k p, nth_error (parts m) k = Some p ->
  stage m n w given (S k) = after p (start m) (start m + n - 1) (stage m n w given k).
Proof. intros m n w given k p h. cbn [stage]. now rewrite h. Qed.
Lemma upto_once : forall a b, NoDup (upto a b).
Proof. intros a b. apply FinFun.Injective_map_NoDup; [|apply seq_NoDup]. intros x y h. lia. Qed.
Lemma added_single : forall f c l, NoDup l -> In c l -> (forall k, k <> c -> f k = 0) -> added f l = f c.
Proof.
  intros f c l once here other. induction l as [|x l ih]; [destruct here|].
  apply NoDup_cons_iff in once. destruct once as [out once].
  cbn [added]. destruct here as [->|here].
  - assert (z : added f l = 0); [|lra]. clear ih once. induction l as [|y l ih]; [reflexivity|]. cbn [added].
    rewrite other, ih; [lra | |]; intros e; apply out; [now right | now left].
  - rewrite (ih once here), other; [lra|]. intros ->. now apply out.
Qed.
Lemma ind_same : forall P Q : Prop, (P <-> Q) -> ind P = ind Q.
Proof.
  intros P Q h. unfold ind. destruct (Classical_Prop.classic P), (ClassicalEpsilon.excluded_middle_informative P),
    (ClassicalEpsilon.excluded_middle_informative Q); tauto.
Qed.

(* FAMILY network, network-of-three *)
Definition family_network (d h e : Z) (W : Z -> Z -> R) (b : Z -> R) (V : Z -> Z -> R) (c : Z -> R) : model := {|
  start := 1; longest := None; words := []; typed := []; before := None; after_last := None;
  inputs := map (label "z") (upto 1 d);
  positions := [];
  parts := [Network (map (label "z") (upto 1 d)) (map (label "out") (upto 1 e))
              (map (fun u => map (W u) (upto 1 d)) (upto 1 h)) (map b (upto 1 h))
              (map (fun r => map (V r) (upto 1 h)) (upto 1 e)) (map c (upto 1 e)) relu_units];
  readout := None
|}.
(* the stored instance is the function's value, by computation alone *)
Theorem network_stored : forall n, network_of_three n =
  family_network 2 3 2 (entries [[1; 0]; [1; -1]; [0; 2]]) (entry [0; 1; - (1 / 2)]) (entries [[1; -1; 0]; [0; 2; 1]])
    (entry [0; 1]).
Proof. reflexivity. Qed.
(* the relation holds of the run, for all sizes and tables, and of nothing else *)
Theorem network_runs : forall d h e W b V c n w given i, let x := stage (family_network d h e W b V c) n w given in
  network_relation d h e W b V c (fun l => x 0%nat (label "z" l) i) (fun r => x 1%nat (label "out" r) i).
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
Theorem network_only : forall d h e W b V c n w given i z out, let x := stage (family_network d h e W b V c)
  n w given in
  (forall l : Z, (1 <= l <= d)%Z -> z l = x 0%nat (label "z" l) i) -> network_relation d h e W b V c z out ->
  forall r : Z, (1 <= r <= e)%Z -> out r = x 1%nat (label "out" r) i.
Proof.
  intros d h e W b V c n w given i z out x same holds r g.
  assert (q : 1 <= IZR r <= IZR e) by (split; apply IZR_le; lia).
  assert (p := network_runs d h e W b V c n w given i r q). rewrite (holds r q). fold x in p. cbv beta in p. rewrite p.
  f_equal. apply sum_within. intros u _. do 3 f_equal. apply sum_within. intros l k. now rewrite (same l k).
Qed.

(* FAMILY max, max-of-three *)
Definition family_max (K : Z) : model := {|
  start := 1; longest := None; words := []; typed := []; before := None; after_last := None;
  inputs := map (label "x") (upto 1 K);
  positions := [];
  parts := Network [label "x" 1] ["out"] [[1]; [-1]] [0; 0] [[1; -1]] [0] relu_units ::
    map (fun t => Network ["out"; label "x" t] ["out"] [[-1; 1]] [0] [[1]] [0] relu_units) (upto 2 K);
  readout := None
|}.
Theorem max_stored : forall n, max_of_three n = family_max 3.
Proof. reflexivity. Qed.

Lemma max_part : forall K t, (2 <= t <= K)%Z -> nth_error (parts (family_max K)) (Z.to_nat (t - 1)) =
  Some (Network ["out"; label "x" t] ["out"] [[-1; 1]] [0] [[1]] [0] relu_units).
Proof.
  intros K t h. replace (Z.to_nat (t - 1)) with (S (Z.to_nat (t - 2))) by lia. cbn [parts family_max nth_error].
  now rewrite nth_error_map, nth_upto by lia.
Qed.
Lemma max_kept : forall K n w given k t,
  stage (family_max K) n w given k (label "x" t) = stage (family_max K) n w given 0 (label "x" t).
Proof.
  intros K n w given k t. induction k as [|k ih]; [reflexivity|]. rewrite <- ih. cbn [stage].
  destruct (nth_error (parts (family_max K)) k) as [p|] eqn:e; [|reflexivity]. apply after_other.
  apply nth_error_In in e. cbn [parts family_max In] in e. destruct e as [<-|e]; [reflexivity|].
  apply in_map_iff in e. now destruct e as [u [<- _]].
Qed.
Theorem max_runs : forall K n w given i, let x := stage (family_max K) n w given in
  max_relation K (fun c => x 0%nat (label "x" c) i) (x 1%nat "out" i) (fun t => x (Z.to_nat t) "out" i).
Proof.
  intros K n w given i x. repeat split.
  - unfold x. rewrite (stage_next _ _ _ _ _ (Network [label "x" 1] ["out"] [[1]; [-1]] [0; 0] [[1; -1]] [0] relu_units))
      by reflexivity.
    assert (z : stage (family_max K) n w given 0 "out" i = 0).
    { cbn [stage]. rewrite embedded_absent; [reflexivity|]. unfold absent.
      cbn [words inputs positions family_max existsb map member orb].
      assert (m : forall l, member "out" (map (label "x") l) = false).
      { intros l. induction l as [|k l ih]; [reflexivity|]. cbn [map member]. now rewrite ih. }
      now rewrite m. }
    cbn - [stage family_max label relu]. rewrite z.
    set (y := stage (family_max K) n w given 0 (label "x" 1) i).
    replace (1 * y + 0 + 0) with y by ring. replace (-1 * y + 0 + 0) with (- y) by ring. ring.
  - intros t [low%le_IZR high%le_IZR]. unfold x. cbv beta. replace (Z.to_nat t) with (S (Z.to_nat (t - 1))) by lia.
    rewrite (stage_next _ _ _ _ _ _ (max_part K t ltac:(lia))). rewrite <- (max_kept K n w given (Z.to_nat (t - 1)) t).
    set (y := stage (family_max K) n w given (Z.to_nat (t - 1))). cbn - [label relu y].
    replace (-1 * y "out" i + (1 * y (label "x" t) i + 0) + 0) with (y (label "x" t) i - y "out" i) by ring. ring.
Qed.
Theorem max_only : forall K n w given i z out outs, let x := stage (family_max K) n w given in
  (forall c : Z, (1 <= c <= K)%Z -> z c = x 0%nat (label "x" c) i) -> max_relation K z out outs -> (1 <= K)%Z ->
  out = x 1%nat "out" i /\ forall t : Z, (1 <= t <= K)%Z -> outs t = x (Z.to_nat t) "out" i.
Proof.
  intros K n w given i z out outs x same [one [begun next]] large. destruct (max_runs K n w given i) as [p [_ q]].
  assert (first : out = x 1%nat "out" i) by (rewrite one, (same 1%Z) by lia; symmetry; exact p).
  split; [exact first|]. intros t h. replace t with (1 + Z.of_nat (Z.to_nat (t - 1)))%Z by lia.
  assert (g : (Z.to_nat (t - 1) <= Z.to_nat (K - 1))%nat) by lia. clear h. induction (Z.to_nat (t - 1)) as [|k ih].
  - cbn. now rewrite begun.
  - set (u := (1 + Z.of_nat (S k))%Z). assert (b : 2 <= IZR u <= IZR K) by (split; apply IZR_le; lia).
    rewrite (next u b), (same u) by lia. specialize (q u b). cbv beta in q. fold x in q. rewrite q.
    replace (u - 1)%Z with (1 + Z.of_nat k)%Z by lia. rewrite ih by lia. reflexivity.
Qed.

(* FAMILY count, count-of-two *)
Definition zeros (l : list Z) : list R := map (fun _ => 0) l.
Definition family_count (S : Z) : model := {|
  start := 1; longest := None;
  words := map (fun k => ((k - 1)%Z, [(label "is" k, 1)])) (upto 1 S); typed := map (fun k => (k - 1)%Z) (upto 1 S);
  before := None; after_last := None; inputs := [];
  positions := [];
  parts := [Attention [(map (label "is") (upto 1 S), map (label "share")
    (upto 1 S), [zeros (upto 1 S)], [zeros (upto 1 S)],
    map (fun r => map (fun c => if (r =? c)%Z then 1 else 0) (upto 1 S)) (upto 1 S), everything, alike average)]];
  readout := None
|}.
Theorem count_stored : forall n, count_of_two n = family_count 2.
Proof. reflexivity. Qed.

Theorem count_runs : forall S n w given, let x := stage (family_count S) n w given in
  count_relation n w S (fun c => x 0%nat (label "is" c)) (fun c => x 1%nat (label "share" c)).
Proof.
  intros S n w given x.
  assert (is : forall c i, (1 <= c <= S)%Z -> x 0%nat (label "is" c) i = ind (IZR (w i) = IZR (c - 1))).
  { intros c i h. unfold x. cbn [stage]. unfold embedded.
    cbn [words inputs positions family_count existsb map row option_map plus].
    assert (f : forall l, from_words (map (fun k => ((k - 1)%Z, [(label "is" k, 1)])) l) w (label "is" c) i =
      added (fun k => if (k =? c)%Z then ind (IZR (w i) = IZR (k - 1)) else 0) l).
    { intros l. induction l as [|k l ih]; [reflexivity|]. cbn - [label]. rewrite ih.
      destruct (Z.eqb_spec k c) as [->|d].
      - rewrite String.eqb_refl. cbn. ring.
      - destruct (String.eqb_spec (label "is" c) (label "is" k)) as [e|_]; [|cbn; ring].
        now destruct (d (eq_sym (label_same _ _ _ e))). }
    rewrite f, (added_single _ c); [now rewrite Z.eqb_refl | apply upto_once | now apply in_upto |].
    intros k d. destruct (Z.eqb_spec k c); [easy | reflexivity]. }
  split.
  - intros c [low%le_IZR high%le_IZR] i _. rewrite is by easy. apply ind_same. rewrite minus_IZR. reflexivity.
  - intros c [low%le_IZR high%le_IZR] i [one%le_IZR end_%le_IZR]. unfold x.
    rewrite (stage_next (family_count S) n w given 0 _ eq_refl).
    cbn [after heads_output head_output start family_count].
    rewrite row_label by now apply in_upto. cbn [option_map plus first last at_row].
    assert (z : stage (family_count S) n w given 0 (label "share" c) i = 0).
    { cbn [stage]. unfold embedded. cbn [words inputs positions family_count existsb map row option_map plus].
      generalize (upto 1 S). intros l. induction l as [|k l ih]; [reflexivity|]. cbn. cbn in ih. now rewrite ih. }
    rewrite z. rewrite (attention_mean (IZR n)); [| now left | lia | f_equal; lia |].
    + rewrite Rplus_0_l. f_equal. apply sum_ext; [reflexivity | lia |]. intros j. rewrite dot_added.
      rewrite (added_single _ c); [rewrite Z.eqb_refl; ring | apply upto_once | now apply in_upto |].
      intros k d. destruct (Z.eqb_spec c k) as [e|_]; [now destruct (d (eq_sym e)) | ring].
    + intros j. cbn [score]. unfold zeros. rewrite !dot_added.
      assert (q : forall g l, added (fun k => 0 * g k) l = 0)
        by (intros g l; induction l as [|k l ih]; cbn; [reflexivity | rewrite ih; ring]).
      rewrite !(q (fun k => stage (family_count S) n w given 0 (label "is" k) _)). ring.
Qed.
Theorem count_only : forall S n w given is share, let x := stage (family_count S) n w given in
  count_relation n w S is share -> forall c i : Z, (1 <= c <= S)%Z -> (1 <= i <= n)%Z ->
  is c i = x 0%nat (label "is" c) i /\ share c i = x 1%nat (label "share" c) i.
Proof.
  intros S n w given is share x [one two] c i hc hi. destruct (count_runs S n w given) as [p q]. fold x in p, q.
  assert (bc : 1 <= IZR c <= IZR S) by (split; apply IZR_le; lia).
  assert (at_ : forall j : Z, (1 <= j <= n)%Z -> is c j = x 0%nat (label "is" c) j).
  { intros j h. assert (b : 1 <= IZR j <= IZR n) by (split; apply IZR_le; lia).
    rewrite (one c bc j b). symmetry. exact (p c bc j b). }
  split; [now apply at_|]. assert (b : 1 <= IZR i <= IZR n) by (split; apply IZR_le; lia).
  rewrite (two c bc i b). rewrite (q c bc i b). f_equal. apply sum_within. exact at_.
Qed.

(* FAMILY boolean, boolean *)
Fixpoint whole (f : Z -> Z) (l : list Z) : Z := match l with nil => 0 | k :: l => f k + whole f l end.
Definition family_boolean (m M : Z) (xi : Z -> Z -> Z) (phi : Z -> Z) : model := {|
  start := 1; longest := None; words := []; typed := []; before := None; after_last := None;
  inputs := map (label "p") (upto 1 m);
  positions := [];
  parts := [Network (map (label "p") (upto 1 m)) ["out"]
    (map (fun r => map (fun c => IZR (2 * xi r c - 1)) (upto 1 m)) (upto 1 M))
    (map (fun r => IZR (1 - whole (xi r) (upto 1 m))) (upto 1 M)) [map (fun r => IZR (phi r))
      (upto 1 M)] [0] relu_units];
  readout := None
|}.
Definition entry_Z (values : list Z) (k : Z) : Z := nth (Z.to_nat (k - 1)) values 0%Z.
Theorem boolean_stored : forall n, boolean n = family_boolean 2 4
  (fun r => entry_Z (nth (Z.to_nat (r - 1)) [[0; 0]; [0; 1]; [1; 0]; [1; 1]]%Z nil)) (entry_Z [0; 1; 1; 0]%Z).
Proof. reflexivity. Qed.

Lemma whole_added : forall f l, IZR (whole f l) = added (fun k => IZR (f k)) l.
Proof. intros f l. induction l as [|k l ih]; [reflexivity|]. cbn [whole added]. now rewrite plus_IZR, ih. Qed.
Theorem boolean_runs : forall m M xi phi n w given i, let x := stage (family_boolean m M xi phi) n w given in
  boolean_relation m M xi phi (fun c => x 0%nat (label "p" c) i) (x 1%nat "out" i).
Proof.
  intros m M xi phi n w given i x. unfold boolean_relation, x.
  rewrite (stage_next (family_boolean m M xi phi) n w given 0 _ eq_refl).
  cbn [after combine row option_map plus fst snd].
  change (String.eqb "out" "out") with true. cbn [option_map plus fst snd].
  rewrite units_map, product_added, added_upto.
  assert (z : stage (family_boolean m M xi phi) n w given 0 "out" i = 0).
  { cbn [stage]. rewrite embedded_absent; [reflexivity|]. unfold absent.
    cbn [words inputs positions family_boolean existsb map member orb].
    assert (h : forall l, member "out" (map (label "p") l) = false).
    { intros l. induction l as [|k l ih]; [reflexivity|]. cbn [map member]. now rewrite ih. }
    now rewrite h. }
  rewrite z, Rplus_0_l, Rplus_0_r. apply sum_ext; try reflexivity. intros r. cbn [activated]. do 2 f_equal.
  rewrite minus_IZR, whole_added, dot_added, !added_upto. unfold Rminus. rewrite <- Rplus_assoc. do 2 f_equal.
  apply sum_ext; try reflexivity. intros c. now rewrite minus_IZR, mult_IZR.
Qed.
Theorem boolean_only : forall m M xi phi n w given i p out, let x := stage (family_boolean m M xi phi) n w given in
  (forall c : Z, (1 <= c <= m)%Z -> p c = x 0%nat (label "p" c) i) -> boolean_relation m M xi phi p out ->
  out = x 1%nat "out" i.
Proof.
  intros m M xi phi n w given i p out x same holds. etransitivity; [exact holds|].
  etransitivity; [|symmetry; exact (boolean_runs m M xi phi n w given i)].
  apply sum_within. intros r _. do 4 f_equal. apply sum_within. intros c h. now rewrite (same c h).
Qed.

(* FAMILY dyck-k-d, dyck-k-d *)
Definition dyck_round : list part := [
  Attention [
    (["one"; "active"; "share"; "token"], ["left"], [[1; 0; 0; 0]], [[0; 1; 1; 0]], [[0; 0; 0; 1]], strict_future,
     alike average);
    (["one"; "active"; "share"; "token"], ["right"], [[1; 0; 0; 0]], [[0; 1; -1; 0]], [[0; 0; 0; 1]], strict_past,
     alike average)];
  Network ["left"; "token"; "right"] ["closes"; "closed"; "opening"]
    [[1; 1; 0]; [1; 1; 0]; [1; 1; 0]; [0; 1; 1]; [0; 1; 1]; [0; 1; 1]; [0; 1; 0]; [0; 1; 0]] [1; 0; -1; 1; 0; -1; 0; -1]
    [[1; -2; 1; 0; 0; 0; 0; 0]; [0; 0; 0; 1; -2; 1; 0; 0]; [0; 0; 0; 0; 0; 0; 1; -1]] [0; 0; 0] relu_units;
  Network ["active"; "closed"; "opening"; "closes"; "left"; "right"] ["active"; "left"; "right"; "closes"; "closed";
    "opening"]
    [[1; 1; 1; 0; 0; 0]; [1; 0; -1; 1; 0; 0]; [0; 0; 0; 0; -1; 0]; [0; 0; 0; 0; 1; 0]; [0; 0; 0; 0; 0; -1];
     [0; 0; 0; 0; 0; 1]; [0; 0; 0; -1; 0; 0]; [0; 0; 0; 1; 0; 0]; [0; -1; 0; 0; 0; 0]; [0; 1; 0; 0; 0; 0]; [0; 0; -1;
       0; 0; 0];
     [0; 0; 1; 0; 0; 0]]
    [-2; -1; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0]
    [[-1; -1; 0; 0; 0; 0; 0; 0; 0; 0; 0; 0]; [0; 0; 1; -1; 0; 0; 0; 0; 0; 0; 0; 0]; [0; 0; 0; 0; 1; -1; 0; 0; 0; 0; 0;
      0];
     [0; 0; 0; 0; 0; 0; 1; -1; 0; 0; 0; 0]; [0; 0; 0; 0; 0; 0; 0; 0; 1; -1; 0; 0]; [0; 0; 0; 0; 0; 0; 0; 0; 0; 0; 1;
       -1]]
    [0; 0; 0; 0; 0; 0] relu_units].
(* the tokens 2 c - 2 and 2 c - 1 open and close a bracket of kind c *)
Definition brackets (kinds : list Z) : list (Z * list (string * R)) :=
  flat_map (fun c => [((2 * c - 2)%Z, [("token", IZR c); ("active", 1)]);
                      ((2 * c - 1)%Z, [("token", IZR (- c)); ("active", 1)])]) kinds.
Definition family_dyck_k_d (K D n : Z) : model := {|
  start := 1; longest := None; words := brackets (upto 1 K); typed := map fst (brackets (upto 1 K)); before := None;
    after_last := None;
  inputs := [];
  positions := [("share", fun i : Z => (IZR i / IZR n : R)); ("one", fun i : Z => (1 : R))];
  parts := flat_map (fun _ => dyck_round) (upto 1 D);
  readout := Some (all_zero ["active"], everywhere)
|}.
Theorem dyck_k_d_stored : forall n, dyck_k_d n = family_dyck_k_d 2 4 n.
Proof. reflexivity. Qed.

(* part 3 t + k is part k of the round *)
Lemma round_part : forall (l : list Z) t k, (t < List.length l)%nat -> (k < 3)%nat ->
  nth_error (flat_map (fun _ => dyck_round) l) (3 * t + k) = nth_error dyck_round k.
Proof.
  intros l. induction l as [|x l ih]; intros t k a b; [cbn in a; lia|]. cbn [List.length] in a.
  change (flat_map (fun _ => dyck_round) (x :: l)) with (dyck_round ++ flat_map (fun _ => dyck_round) l)%list.
  destruct t as [|t].
  - rewrite nth_error_app1; [f_equal; lia | exact b].
  - rewrite nth_error_app2; change (List.length dyck_round) with 3%nat; [|lia].
    replace (3 * S t + k - 3)%nat with (3 * t + k)%nat by lia. apply ih; lia.
Qed.
Definition dyck_part (k : nat) : part := nth k dyck_round (Attention []).
Section Rounds.
Variables (K D n : Z) (w : Z -> Z) (given : stream).
Let x := stage (family_dyck_k_d K D n) n w given.
Lemma dyck_next : forall t k, (1 <= t <= D)%Z -> (k < 3)%nat ->
  x (S (3 * Z.to_nat (t - 1) + k)) = after (dyck_part k) 1 n (x (3 * Z.to_nat (t - 1) + k)).
Proof.
  intros t k h b. transitivity (after (dyck_part k) 1 (1 + n - 1) (x (3 * Z.to_nat (t - 1) + k))); [|f_equal; lia].
  apply stage_next. cbn [parts family_dyck_k_d].
  rewrite round_part; [| |exact b].
  - unfold dyck_part. apply nth_error_nth'. exact b.
  - unfold upto. rewrite map_length, seq_length. lia.
Qed.
Lemma dyck_kept : forall c k, forallb (fun p => negb (writes p c)) dyck_round = true -> x k c = x 0%nat c.
Proof.
  intros c k never. rewrite forallb_forall in never. induction k as [|k ih]; [reflexivity|]. rewrite <- ih. unfold x.
  cbn [stage].
  destruct (nth_error (parts (family_dyck_k_d K D n)) k) as [p|] eqn:e; [|reflexivity]. apply after_other.
  apply nth_error_In in e. apply in_flat_map in e. destruct e as [_ [_ e]]. specialize (never p e).
  now destruct (writes p c).
Qed.
End Rounds.
Lemma looks : forall (a b c d : Z) (low high : R) (s v s' v' : Z -> R), a = c -> b = d -> low = IZR a -> high = IZR b ->
  (forall j, s j = s' j) -> (forall j, v j = v' j) ->
  attention average a b s v * sum c d (fun j => ind (forall k : Z, low <= IZR k <= high -> s' k <= s' j)) =
  sum c d (fun j => ind (forall k : Z, low <= IZR k <= high -> s' k <= s' j) * v' j).
Proof.
  intros a b c d low high s v s' v' <- <- -> -> hs hv. apply functional_extensionality in hs, hv. subst s' v'.
  apply (attention_weighed average a b s v). now left.
Qed.
Lemma brackets_token : forall w i l, from_words (brackets l) w "token" i =
  added (fun c => IZR c * ind (IZR (w i) = 2 * IZR c - 2) - IZR c * ind (IZR (w i) = 2 * IZR c - 1)) l.
Proof.
  intros w i l. unfold brackets. induction l as [|c l ih]; [reflexivity|]. cbn - [Z.mul Z.sub Z.opp].
  rewrite ih, opp_IZR, !minus_IZR, mult_IZR.
  ring.
Qed.
Lemma brackets_active : forall w i l, from_words (brackets l) w "active" i =
  added (fun c => ind (IZR (w i) = IZR (2 * c - 2)) + ind (IZR (w i) = IZR (2 * c - 1))) l.
Proof. intros w i l. unfold brackets. induction l as [|c l ih]; [reflexivity|]. cbn - [Z.mul Z.sub Z.opp]. rewrite ih.
ring. Qed.
Lemma brackets_other : forall w i l c, String.eqb c "token" = false -> String.eqb c "active" = false ->
  from_words (brackets l) w c i = 0.
Proof.
  intros w i l c a b. unfold brackets. induction l as [|k l ih]; [reflexivity|]. cbn - [Z.mul Z.sub Z.opp].
  rewrite a, b. cbn - [Z.mul Z.sub Z.opp].
  exact ih.
Qed.
Lemma equal : forall a b : Z, a = b -> ind (IZR a = IZR b) = 1.
Proof. intros a b ->. now apply ind_true. Qed.
Lemma unequal : forall a b : Z, a <> b -> ind (IZR a = IZR b) = 0.
Proof. intros a b h. apply ind_false. split; [intros e; now apply h, eq_IZR | easy]. Qed.
Ltac nothing_yet e0 other := intros i _; change (3 * Z.to_nat 0)%nat with 0%nat; rewrite e0; unfold embedded;
  cbn - [brackets from_words]; now rewrite other.
(* units whose arguments are equal are the same term *)
Ltac same_units :=
  repeat (progress rewrite ?Rmult_0_l, ?Rmult_1_l, ?Rplus_0_l, ?Rplus_0_r);
  repeat match goal with |- context [relu ?a] =>
    match goal with |- context [relu ?b] => tryif constr_eq a b then fail else replace a with b by ring end end.
Theorem dyck_k_d_runs : forall K D n w given, let x := stage (family_dyck_k_d K D n) n w given in
  (forall i : Z, (1 <= i <= n)%Z -> (0 <= w i <= 2 * K - 1)%Z) ->
  let after c := fun t => x (3 * Z.to_nat t)%nat c in let within k c := fun t => x (3 * Z.to_nat (t - 1) + k)%nat c in
  dyck_k_d_relation n w K D (x 0%nat "token") (after "active") (after "left") (after "right") (x 0%nat "share")
    (x 0%nat "one")
    (after "closes") (after "closed") (after "opening") (within 1%nat "left") (within 1%nat "right")
    (within 2%nat "closes") (within 2%nat "closed") (within 2%nat "opening").
Proof.
  intros K D n w given x typed behind within. unfold dyck_k_d_relation.
  assert (e0 : forall c i, x 0%nat c i = embedded (family_dyck_k_d K D n) w given c i) by reflexivity.
  assert (next : forall t k, (1 <= t <= D)%Z -> (k < 3)%nat -> x (S (3 * Z.to_nat (t - 1) + k))%nat =
    after (dyck_part k) 1 n (x (3 * Z.to_nat (t - 1) + k)%nat)) by (intros; now apply dyck_next).
  assert (kept : forall c k, forallb (fun p => negb (writes p c)) dyck_round = true -> x k c = x 0%nat c)
    by (intros; now apply dyck_kept).
  assert (s1 : forall t, (1 <= t <= D)%Z -> x (3 * Z.to_nat (t - 1) + 1)%nat = after (dyck_part 0)
    1 n (x (3 * Z.to_nat (t - 1))%nat)).
  { intros t h. specialize (next t 0%nat h ltac:(lia)). rewrite Nat.add_0_r in next. now rewrite <- next, Nat.add_1_r. }
  assert (s2 : forall t, (1 <= t <= D)%Z -> x (3 * Z.to_nat (t - 1) + 2)%nat = after (dyck_part 1)
    1 n (x (3 * Z.to_nat (t - 1) + 1)%nat)).
  { intros t h. rewrite <- (next t 1%nat h) by lia. f_equal. lia. }
  assert (s3 : forall t, (1 <= t <= D)%Z -> x (3 * Z.to_nat t)%nat = after (dyck_part 2) 1 n (x (3 * Z.to_nat (t - 1)
    + 2)%nat)).
  { intros t h. rewrite <- (next t 2%nat h) by lia. f_equal. lia. }
  clearbody x. unfold behind, within. clear behind within next.
  assert (other : forall c i, String.eqb c "token" = false -> String.eqb c "active" = false ->
    from_words (brackets (upto 1 K)) w c i = 0) by (intros; now apply brackets_other).
  repeat match goal with |- _ /\ _ => split end.
  - intros i _. rewrite e0. unfold embedded. cbn - [brackets from_words sum]. now rewrite brackets_token, added_upto.
  - intros i [low%le_IZR high%le_IZR]. change (3 * Z.to_nat 0)%nat with 0%nat. rewrite e0. unfold embedded.
    cbn - [brackets from_words]. rewrite brackets_active. specialize (typed i (conj low high)).
    assert (m := Z.div_mod (w i) 2 ltac:(lia)). assert (b := Z.mod_pos_bound (w i) 2 ltac:(lia)).
    rewrite (added_single _ (w i / 2 + 1)); [| apply upto_once | apply in_upto; lia |].
    + destruct (Z.eq_dec (w i mod 2) 0) as [z|z].
      * rewrite equal, unequal by lia. ring.
      * rewrite unequal, equal by lia. ring.
    + intros k d. rewrite !unequal by lia. ring.
  - nothing_yet e0 other.
  - nothing_yet e0 other.
  - intros i _. rewrite e0. unfold embedded. cbn - [brackets from_words]. rewrite other by reflexivity. ring.
  - intros i _. rewrite e0. unfold embedded. cbn - [brackets from_words]. rewrite other by reflexivity. ring.
  - nothing_yet e0 other.
  - nothing_yet e0 other.
  - nothing_yet e0 other.
  - intros t [low%le_IZR high%le_IZR] i [one%le_IZR end_%le_IZR]. rewrite s1 by easy.
    rewrite <- !(kept "token" (3 * Z.to_nat (t - 1))%nat eq_refl), <- !(kept "share" (3 * Z.to_nat (t - 1))%nat
      eq_refl),
      <- !(kept "one" (3 * Z.to_nat (t - 1))%nat eq_refl).
    set (y := x (3 * Z.to_nat (t - 1))%nat). unfold dyck_part.
    cbn - [attention sum Z.add Z.sub y Rplus Rmult Rminus Rle]. split.
    + match goal with |- (?a + ?b - ?a) * _ = _ => replace (a + b - a) with b by ring end.
      apply looks; try reflexivity; try (rewrite minus_IZR; reflexivity); intros j; ring.
    + intros e%eq_IZR. subst i. rewrite attention_none by lia. ring.
  - intros t [low%le_IZR high%le_IZR] i [one%le_IZR end_%le_IZR]. rewrite s1 by easy.
    rewrite <- !(kept "token" (3 * Z.to_nat (t - 1))%nat eq_refl), <- !(kept "share" (3 * Z.to_nat (t - 1))%nat
      eq_refl),
      <- !(kept "one" (3 * Z.to_nat (t - 1))%nat eq_refl).
    set (y := x (3 * Z.to_nat (t - 1))%nat). unfold dyck_part.
    cbn - [attention sum Z.add Z.sub y Rplus Rmult Rminus Rle]. split.
    + match goal with |- (?a + ?b - ?a) * _ = _ => replace (a + b - a) with b by ring end.
      apply looks; try reflexivity; try (rewrite plus_IZR; reflexivity); intros j; ring.
    + intros e%eq_IZR. subst i. rewrite attention_none by lia. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s2 by easy.
    rewrite <- (kept "token" (3 * Z.to_nat (t - 1) + 1)%nat eq_refl).
    rewrite <- (after_other (dyck_part 0) 1 n (x (3 * Z.to_nat (t - 1))%nat) "closes" eq_refl), <- s1 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 1)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s2 by easy.
    rewrite <- (kept "token" (3 * Z.to_nat (t - 1) + 1)%nat eq_refl).
    rewrite <- (after_other (dyck_part 0) 1 n (x (3 * Z.to_nat (t - 1))%nat) "closed" eq_refl), <- s1 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 1)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s2 by easy.
    rewrite <- (kept "token" (3 * Z.to_nat (t - 1) + 1)%nat eq_refl).
    rewrite <- (after_other (dyck_part 0) 1 n (x (3 * Z.to_nat (t - 1))%nat) "opening" eq_refl), <- s1 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 1)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s3 by easy.
    rewrite <- (after_other (dyck_part 0) 1 n (x (3 * Z.to_nat (t - 1))%nat) "active" eq_refl), <- s1 by easy.
    rewrite <- (after_other (dyck_part 1) 1 n (x (3 * Z.to_nat (t - 1) + 1)%nat) "active" eq_refl), <- s2 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 2)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s3 by easy.
    rewrite <- (after_other (dyck_part 1) 1 n (x (3 * Z.to_nat (t - 1) + 1)%nat) "left" eq_refl), <- s2 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 2)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s3 by easy.
    rewrite <- (after_other (dyck_part 1) 1 n (x (3 * Z.to_nat (t - 1) + 1)%nat) "right" eq_refl), <- s2 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 2)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s3 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 2)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s3 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 2)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
  - intros t [low%le_IZR high%le_IZR] i _. rewrite s3 by easy.
    set (y := x (3 * Z.to_nat (t - 1) + 2)%nat). unfold dyck_part. cbn - [relu y Rplus Rmult Rminus]. same_units. ring.
Qed.
Lemma looked : forall (a b : Z) (low high : R) (s s' v v' : Z -> R) (l l' z z' : R),
  low = IZR a -> high = IZR b -> l = l' ->
  (forall j : Z, (a <= j <= b)%Z -> s j = s' j) -> (forall j : Z, (a <= j <= b)%Z -> v j = v' j) ->
  ((a <= b)%Z \/ z = l /\ z' = l') ->
  (z - l) * sum a b (fun j => ind (forall k : Z, low <= IZR k <= high -> s k <= s j)) =
    sum a b (fun j => ind (forall k : Z, low <= IZR k <= high -> s k <= s j) * v j) ->
  (z' - l') * sum a b (fun j => ind (forall k : Z, low <= IZR k <= high -> s' k <= s' j)) =
    sum a b (fun j => ind (forall k : Z, low <= IZR k <= high -> s' k <= s' j) * v' j) -> z = z'.
Proof.
  intros a b low high s s' v v' l l' z z' -> -> <- hs hv [h|[-> ->]] one two; [|reflexivity].
  assert (same : forall j : Z, (a <= j <= b)%Z -> ind (forall k : Z, IZR a <= IZR k <= IZR b -> s' k <= s' j) =
    ind (forall k : Z, IZR a <= IZR k <= IZR b -> s k <= s j)).
  { intros j r. apply ind_same. split; intros g k q; specialize (g k q); destruct q as [p%le_IZR q%le_IZR];
      [rewrite !hs | rewrite <- !hs]; easy. }
  assert (large := some_weight a b s h). unfold weight in large.
  rewrite (sum_within a b (fun j => ind (forall k : Z, IZR a <= IZR k <= IZR b -> s' k <= s' j) * v' j)
    (fun j => ind (forall k : Z, IZR a <= IZR k <= IZR b -> s k <= s j) * v j)) in two
    by (intros j r; now rewrite same, hv by easy).
  rewrite (sum_within a b _ _ same) in two.
  rewrite <- one in two. apply Rmult_eq_reg_r in two; lra.
Qed.
(* two with the relation have the same values of what the readout looks at *)
Theorem dyck_k_d_same : forall K D n w token active left right share one closes closed opening zl zr zc zd zo
    token' active' left' right' share' one' closes' closed' opening' zl' zr' zc' zd' zo',
  dyck_k_d_relation n w K D token active left right share one closes closed opening zl zr zc zd zo ->
  dyck_k_d_relation n w K D token' active' left' right' share' one' closes' closed' opening' zl' zr' zc' zd' zo' ->
  forall t : Z, (0 <= t <= D)%Z -> forall i : Z, (1 <= i <= n)%Z -> active t i = active' t i.
Proof.
  intros K D n w token active left right share one closes closed opening zl zr zc zd zo
    token' active' left' right' share' one' closes' closed' opening' zl' zr' zc' zd' zo'
    (a1 & a2 & a3 & a4 & a5 & a6 & a7 & a8 & a9 & a10 & a11 & a12 & a13 & a14 & a15 & a16 & a17 & a18 & a19 & a20)
    (b1 & b2 & b3 & b4 & b5 & b6 & b7 & b8 & b9 & b10 & b11 & b12 & b13 & b14 & b15 & b16 & b17 & b18 & b19 & b20).
  assert (range : forall a i b : Z, (a <= i <= b)%Z -> IZR a <= IZR i <= IZR b) by (intros; split; apply IZR_le; lia).
  assert (c1 : forall i : Z, (1 <= i <= n)%Z -> token i = token' i) by (intros i h%range; now rewrite a1, b1).
  assert (c5 : forall i : Z, (1 <= i <= n)%Z -> share i = share' i) by (intros i h%range; now rewrite a5, b5).
  assert (c6 : forall i : Z, (1 <= i <= n)%Z -> one i = one' i) by (intros i h%range; now rewrite a6, b6).
  assert (all : forall m : nat, (Z.of_nat m <= D)%Z -> forall i : Z, (1 <= i <= n)%Z -> let t := Z.of_nat m in
    active t i = active' t i /\ left t i = left' t i /\ right t i = right' t i /\
    closes t i = closes' t i /\ closed t i = closed' t i /\ opening t i = opening' t i).
  { intros m. induction m as [|m ih]; intros d.
    - intros i h%range. cbn. now rewrite a2, b2, a3, b3, a4, b4, a7, b7, a8, b8, a9, b9.
    - intros i hi. cbv zeta. assert (q : (1 <= Z.of_nat (S m) <= D)%Z) by lia.
      specialize (ih ltac:(lia)). cbv zeta in ih.
      replace (Z.of_nat m) with (Z.of_nat (S m) - 1)%Z in ih by lia. set (t := Z.of_nat (S m)) in *. apply range in q.
      assert (r := range _ _ _ hi). destruct (ih i hi) as (e1 & e2 & e3 & e4 & e5 & e6).
      assert (l : zl t i = zl' t i).
      { destruct (a10 t q i r) as [p s], (b10 t q i r) as [p' s'].
        refine (looked 1 (i - 1) _ _ _ _ _ _ _ _ _ _ eq_refl _ e2 _ _ _ p p').
        - now rewrite minus_IZR.
        - intros j hj. destruct (ih j ltac:(lia)) as (f & _). now rewrite c6, f, c5 by lia.
        - intros j hj. apply c1. lia.
        - destruct (Z.eq_dec i 1) as [->|]; [right; now split; [apply s | apply s'] | left; lia]. }
      assert (g : zr t i = zr' t i).
      { destruct (a11 t q i r) as [p s], (b11 t q i r) as [p' s'].
        refine (looked (i + 1) n _ _ _ _ _ _ _ _ _ _ _ eq_refl e3 _ _ _ p p').
        - now rewrite plus_IZR.
        - intros j hj. destruct (ih j ltac:(lia)) as (f & _). now rewrite c6, f, c5 by lia.
        - intros j hj. apply c1. lia.
        - destruct (Z.eq_dec i n) as [->|]; [right; now split; [apply s | apply s'] | left; lia]. }
      assert (c : zc t i = zc' t i) by now rewrite a12, b12, e4, c1, l.
      assert (k : zd t i = zd' t i) by now rewrite a13, b13, e5, c1, g.
      assert (o : zo t i = zo' t i) by now rewrite a14, b14, e6, c1.
      rewrite a15, b15, a16, b16, a17, b17, a18, b18, a19, b19, a20, b20, e1, l, g, c, k, o by easy. now repeat split. }
  intros t h i hi. destruct (all (Z.to_nat t) ltac:(lia) i hi) as [e _]. now rewrite Z2Nat.id in e by lia.
Qed.
Theorem dyck_k_d_only : forall K D n w given token active left right share one closes closed opening zl zr zc zd zo,
  let x := stage (family_dyck_k_d K D n) n w given in
  (forall i : Z, (1 <= i <= n)%Z -> (0 <= w i <= 2 * K - 1)%Z) ->
  dyck_k_d_relation n w K D token active left right share one closes closed opening zl zr zc zd zo ->
  forall t i : Z, (0 <= t <= D)%Z -> (1 <= i <= n)%Z -> active t i = x (3 * Z.to_nat t)%nat "active" i.
Proof.
  intros K D n w given token active left right share one closes closed opening zl zr zc zd zo x typed holds t i a b.
  exact (dyck_k_d_same _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ holds
    (dyck_k_d_runs K D n w given typed) t a i b).
Qed.
