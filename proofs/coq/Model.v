(* The forward pass of a model, over the reals. Each stored model is a constant of type `model` that shows its matrices
   (Models.v), and there it is a theorem that the relation run(NAME), which statements suppose, is met by its run. *)
From Coq Require Import Reals ZArith Lia Lra List String.
From Symcook Require Import Meaning Laws.
Import ListNotations.
Open Scope R_scope.

(* --- Definitions: to be read -------------------------------------------------------------------------------------- *)
Definition stream := string -> Z -> R. (* the value of a coordinate at a position *)
Definition matrix := list (list R).

Inductive mask := everything | future | strict_future | past | strict_past.
Inductive weighting := average | leftmost | rightmost | softmax (scale temperature : R).
Inductive activation := relu_units | step_units | gelu_units.

Inductive part :=
  (* heads: what they read and write, Q, K, V (a row of V for each coordinate written) *)
  | Attention (heads : list (list string * list string * matrix * matrix * matrix * mask * weighting))
  | Network (reads writes : list string) (W1 : matrix) (b1 : list R) (W2 : matrix) (b2 : list R) (a : activation)
  (* a layer norm of the coordinates, after what stands before it *)
  | Norm (names : list string) (gain bias : list R) (epsilon : R).

Record model := {
  start : Z; (* the number of the first position *)
  words : list (Z * list (string * R)); (* for each word, its index and its nonzero coordinates *)
  inputs : list string; (* coordinates that are given *)
  positions : list (string * (Z -> R));
  parts : list part
}.

Fixpoint dot (weights : list R) (names : list string) (x : stream) (i : Z) : R :=
  match weights, names with w :: ws, c :: cs => w * x c i + dot ws cs x i | _, _ => 0 end.
Fixpoint score (Q K : matrix) (names : list string) (x : stream) (i j : Z) : R :=
  match Q, K with q :: Q', k :: K' => dot q names x i * dot k names x j + score Q' K' names x i j | _, _ => 0 end.

(* the first and the last position that row i sees, of those from a to b *)
Definition first (m : mask) (a i : Z) : Z := match m with past => i | strict_past => i + 1 | _ => a end%Z.
Definition last (m : mask) (b i : Z) : Z := match m with future => i | strict_future => i - 1 | _ => b end%Z.

(* the weight of position j of those from a to b, with scores s, before it is divided by the sum of all weights *)
Definition weight (how : weighting) (a b : Z) (s : Z -> R) (j : Z) : R :=
  match how with
  | average => ind (forall k : Z, a <= k <= b -> s k <= s j)
  | leftmost => ind (forall k : Z, a <= k <= b -> s k <= s j /\ (k < j -> s k < s j))
  | rightmost => ind (forall k : Z, a <= k <= b -> s k <= s j /\ (j < k -> s k < s j))
  | softmax scale temperature => exp (scale / temperature * s j)
  end.
Definition attention (how : weighting) (a b : Z) (s v : Z -> R) : R :=
  sum a b (fun j => weight how a b s j * v j) / sum a b (weight how a b s).

Definition activated (a : activation) (x : R) : R :=
  match a with
  | relu_units => relu x
  | step_units => ind (0 < x)
  | gelu_units => x / 2 * (1 + erf (x / sqrt 2))
  end.
Fixpoint units (a : activation) (W1 : matrix) (b1 : list R) (names : list string) (x : stream) (i : Z) : list R :=
  match W1, b1 with w :: W, b :: bs => activated a (dot w names x i + b) :: units a W bs names x i | _, _ => nil end.
Fixpoint product (ws xs : list R) : R := match ws, xs with w :: ws, x :: xs => w * x + product ws xs | _, _ => 0 end.

Fixpoint total (names : list string) (x : stream) (i : Z) : R :=
  match names with c :: cs => x c i + total cs x i | nil => 0 end.
Definition mean (names : list string) (x : stream) (i : Z) : R := total names x i / INR (List.length names).
Definition deviation (names : list string) (epsilon : R) (x : stream) (i : Z) : R :=
  sqrt (total names (fun c i => (x c i - mean names x i) ^ 2) i / INR (List.length names) + epsilon).

(* the row that belongs to a coordinate *)
Fixpoint row {A} (c : string) (names : list string) (rows : list A) : option A :=
  match names, rows with
  | name :: names, r :: rows => if String.eqb c name then Some r else row c names rows
  | _, _ => None
  end.
(* x with something added, where there is something *)
Definition plus (x : R) (added : option R) : R := match added with Some y => x + y | None => x end.

Fixpoint heads_output heads (a b : Z) (seen x : stream) (c : string) (i : Z) : R :=
  match heads with
  | nil => x c i
  | (reads, writes, Q, K, V, m, how) :: rest =>
      plus (heads_output rest a b seen x c i)
        (option_map (fun v => attention how (first m a i) (last m b i) (score Q K reads seen i) (dot v reads seen))
           (row c writes V))
  end.

Definition after (p : part) (a b : Z) (x : stream) : stream := fun c i =>
  match p with
  | Attention heads => heads_output heads a b x x c i
  | Network reads writes W1 b1 W2 b2 f =>
      plus (x c i) (option_map (fun wb => product (fst wb) (units f W1 b1 reads x i) + snd wb)
                      (row c writes (combine W2 b2)))
  | Norm names gain bias epsilon =>
      match row c names (combine gain bias) with
      | Some (g, b) => (x c i - mean names x i) / deviation names epsilon x i * g + b
      | None => x c i
      end
  end.

Fixpoint from_words (rows : list (Z * list (string * R))) (w : Z -> Z) (c : string) (i : Z) : R :=
  match rows with
  | nil => 0
  | (index, r) :: rest =>
      plus (from_words rest w c i)
        (option_map (fun v => ind (IZR (w i) = IZR index) * v) (row c (map (@fst _ _) r) (map (@snd _ _) r)))
  end.
Definition embedded (m : model) (w : Z -> Z) (given : stream) : stream := fun c i =>
  plus
    (plus (from_words (words m) w c i)
       (if existsb (String.eqb c) (inputs m) then Some (given c i) else None))
    (option_map (fun p => p i) (row c (map (@fst _ _) (positions m)) (map (@snd _ _) (positions m)))).

(* the residual stream after the first k parts, for a word w of length n *)
Fixpoint stage (m : model) (n : Z) (w : Z -> Z) (given : stream) (k : nat) : stream :=
  match k with
  | O => embedded m w given
  | S k =>
      match nth_error (parts m) k with
      | Some p => after p (start m) (start m + n - 1) (stage m n w given k)
      | None => stage m n w given k
      end
  end.

(* --- Proofs: not to be read ------------------------------------------------------------------------------------------ *)
Lemma sum_within : forall (a b : Z) f g, (forall j, (a <= j <= b)%Z -> f j = g j :> R) -> sum a b f = sum a b g.
Proof.
  intros a b f g h. unfold sum. destruct (Z_le_gt_dec a b) as [l|l]; [|now replace (Z.to_nat (b - a + 1)) with O by lia].
  assert (e : forall k, (Z.of_nat k <= b - a + 1)%Z -> sum_of k a f = sum_of k a g).
  { induction k as [|k ih]; intros hk; [reflexivity|]. cbn [sum_of]. rewrite ih, h by lia. reflexivity. }
  apply e. lia.
Qed.
Lemma sum_ones : forall (a b : Z) f, (a <= b + 1)%Z -> (forall j, f j = 1 :> R) -> sum a b f = IZR (b - a + 1).
Proof.
  intros a b f h one. unfold sum. rewrite <- (Z2Nat.id (b - a + 1)) at 2 by lia.
  induction (Z.to_nat (b - a + 1)) as [|k ih]; [reflexivity|]. cbn [sum_of]. rewrite ih, one, Nat2Z.inj_succ, succ_IZR.
  reflexivity.
Qed.
(* average and softmax of equal scores: the mean *)
Lemma attention_mean : forall (c : R) how (a b : Z) s v, how = average \/ (exists u t, how = softmax u t) ->
  (a <= b + 1)%Z -> IZR (b - a + 1) = c -> (forall j, s j = 0 :> R) -> attention how a b s v = sum a b v / c.
Proof.
  intros c how a b s v which h <- zero. unfold attention.
  assert (one : forall j, weight how a b s j = 1 :> R).
  { intros j. destruct which as [->|[u [t ->]]]; unfold weight.
    - apply ind_true. split; [trivial|]. intros _ k _. rewrite !zero. lra.
    - rewrite zero, Rmult_0_r. apply exp_0. }
  rewrite (sum_ones a b (weight how a b s)) by assumption.
  f_equal. apply sum_ext; trivial. intros j. rewrite one. ring.
Qed.
(* the rightmost of equal scores *)
Lemma attention_last : forall (a b : Z) s v, (forall j, s j = 0 :> R) ->
  attention rightmost a b s v = sum a b (fun j => ind (IZR j = IZR b) * v j).
Proof.
  intros a b s v zero. unfold attention.
  assert (e : forall j, (a <= j <= b)%Z -> weight rightmost a b s j = ind (IZR j = IZR b) :> R).
  { intros j h. apply ind_ext. split.
    - intros g. destruct (Z.eq_dec j b) as [->|n]; [reflexivity|]. exfalso.
      assert (q : IZR a <= IZR b /\ IZR b <= IZR b) by (split; apply IZR_le; lia).
      destruct (g b q) as [_ l]. assert (IZR j < IZR b) by (apply IZR_lt; lia). specialize (l H). rewrite !zero in l. lra.
    - intros <- %eq_IZR. intros k [_ g%le_IZR]. rewrite !zero. split; [lra|]. intros l%lt_IZR. lia. }
  rewrite (sum_within a b (weight rightmost a b s) (fun j => ind (IZR j = IZR b))) by exact e.
  rewrite (sum_within a b (fun j => weight rightmost a b s j * v j) (fun j => ind (IZR j = IZR b) * v j))
    by (intros j h; now rewrite e).
  destruct (Z_le_gt_dec a b) as [l|l].
  - replace (sum a b (fun j : Z => ind (IZR j = IZR b))) with 1; [unfold Rdiv; rewrite Rinv_1; ring|]. symmetry.
    rewrite sum_step_Z by lia. rewrite (sum_within a (b - 1) _ (fun _ => 0)).
    + rewrite (sum_nil a (b - 1) (fun _ => 0)) by reflexivity. rewrite ind_true; [ring|tauto].
    + intros j h. apply ind_false. split; [|tauto]. intros e'%eq_IZR. lia.
  - unfold sum. replace (Z.to_nat (b - a + 1)) with O by lia. simpl. unfold Rdiv. ring.
Qed.

(* The equations of a run, computed: both sides are the same up to ring laws inside relu, ind and sums. *)
Ltac equal_inside :=
  first
    [ reflexivity
    | ring
    | field; lra
    | apply f_equal; equal_inside
    | apply sum_ext; [reflexivity | reflexivity | intro; equal_inside] ].
Ltac aligned :=
  repeat match goal with
    |- ?l = ?r =>
      match l with context [relu ?a] =>
        match r with context [relu ?b] => assert_fails (constr_eq a b); replace (relu a) with (relu b) by (apply f_equal; ring) end
      end
    end.
Ltac sums_aligned :=
  repeat match goal with
    |- ?l = ?r =>
      match l with context [sum ?a ?b ?f] =>
        match r with context [sum ?c ?d ?g] =>
          assert_fails (constr_eq (sum a b f) (sum c d g));
          replace (sum a b f) with (sum c d g) by (apply sum_ext; [lia | lia | intro; aligned; ring])
        end
      end
    end.
Ltac mean_settled :=
  match goal with |- ?l = ?r =>
    match l with context [attention ?h ?a ?b ?s ?v] =>
      match r with context [Rdiv _ ?c] =>
        rewrite (attention_mean c h a b s v);
        [ | first [now left | right; do 2 eexists; reflexivity] | lia | rewrite ?plus_IZR, ?minus_IZR; ring | intro; ring]
      end
    end
  end.
Ltac settled :=
  try mean_settled; rewrite ?attention_last by (intro; ring); rewrite ?minus_IZR, ?plus_IZR;
  sums_aligned; aligned; first [ring | field; repeat split; try assumption; lra].
(* An equation: its left side is one part further than the right one; the stream before that part is any stream. *)
Ltac computed :=
  cbn [after heads_output from_words plus row existsb String.eqb Ascii.eqb Bool.eqb orb andb option_map combine fst snd map
    product units dot score activated start words inputs positions first last];
  repeat match goal with
    | |- context [(1 + ?n - 1)%Z] => replace (1 + n - 1)%Z with n by lia
    | |- context [(0 + ?n - 1)%Z] => replace (0 + n - 1)%Z with (n - 1)%Z by lia
    end;
  repeat match goal with h : ?x _ _ = 0 |- _ => rewrite h; clear h end;
  cbv beta; settled.
Ltac equation name :=
  lazymatch goal with
  | |- stage ?m ?n ?w ?g O ?c ?i = _ =>
      change (stage m n w g O) with (embedded m w g); unfold embedded, name; computed
  | |- stage ?m ?n ?w ?g (S ?k) ?c ?i = _ =>
      let ps := eval cbv beta iota zeta delta [parts name] in (parts m) in
      let p := eval cbv beta iota zeta delta [nth_error] in (nth_error ps k) in
      lazymatch p with
      | Some ?q =>
          let a := eval cbv beta iota zeta delta [start name] in (start m) in
          change (stage m n w g (S k) c i) with (after q a (a + n - 1) (stage m n w g k) c i);
          let before := fresh "before" in
          try (assert (before : stage m n w g k c i = 0) by reflexivity);
          repeat match goal with |- context [stage m n w g ?l ?d] =>
            assert_fails (constr_eq l k); change (stage m n w g l d) with (stage m n w g k d) end;
          generalize dependent (stage m n w g k); intros; computed
      end
  end.
Ltac runs relation name :=
  intros; unfold relation;
  repeat match goal with |- _ /\ _ => split end;
  repeat (let j := fresh "j" in let h := fresh "h" in intros j h;
          let p := fresh in let q := fresh in destruct h as [p q]; try apply le_IZR in p; try apply le_IZR in q);
  equation name.
