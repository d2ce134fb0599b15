(* The forward pass of a model, over the reals. Each stored model is a constant of type `model` that shows its matrices
   (Models.v), and there it is a theorem that the relation run(NAME), which statements suppose, is met by its run. *)
From Coq Require Import Reals ZArith Lia Lra List String FunctionalExtensionality.
From Symcook Require Import Meaning Laws.
Import ListNotations.
Open Scope R_scope.

(* --- Definitions: to be read -------------------------------------------------------------------------------------- *)
Definition stream := string -> Z -> R. (* the value of a coordinate at a position *)
Definition matrix := list (list R).

Inductive mask := everything | future | strict_future | past | strict_past.
Inductive weighting := average | leftmost | rightmost | softmax (scale temperature : R).
(* how the rows weigh: all alike, or by a softmax whose scale and temperature depend on the row *)
Inductive rows := alike (how : weighting) | softmax_by (scale temperature : Z -> R).
Inductive activation := relu_units | step_units | gelu_units.

(* what it reads and writes, Q, K, V (a row of V for each coordinate written) *)
Definition head : Type := list string * list string * matrix * matrix * matrix * mask * rows.
Inductive part :=
  | Attention (heads : list head)
  | Network (reads writes : list string) (W1 : matrix) (b1 : list R) (W2 : matrix) (b2 : list R) (a : activation)
  (* a layer norm of the coordinates, after what stands before it; it may refuse a variance of zero *)
  | Norm (names : list string) (gain bias : list R) (epsilon : R) (refuses : bool)
  (* weighted sums of coordinates, a row of P for each, under names that stand for nothing else: what a norm in front of a
     block is of, and what the block then reads in place of the coordinates *)
  | Beside (reads names : list string) (P : matrix).

(* a word is accepted where all of these are zero, or where a weighted sum is positive *)
Inductive decision := all_zero (names : list string) | positive (weights : list R) (names : list string).
Inductive place := at_first | at_last | everywhere.

Record model := {
  start : Z; (* the number of the first position *)
  longest : option Z; (* how many positions there may be, those of added words among them *)
  words : list (Z * list (string * R)); (* for each word, its index and its nonzero coordinates *)
  typed : list Z; (* the words that may be typed *)
  before : option Z; (* a word that the model adds at the beginning, or at the end *)
  after_last : option Z;
  inputs : list string; (* coordinates that are given *)
  positions : list (string * (Z -> R));
  parts : list part;
  readout : option (decision * place)
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
Definition at_row (how : rows) (i : Z) : weighting :=
  match how with alike one => one | softmax_by scale temperature => softmax (scale i) (temperature i) end.
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

(* what a head adds to a coordinate *)
Definition head_output (h : head) (a b : Z) (seen : stream) (c : string) (i : Z) : option R :=
  let '(reads, writes, Q, K, V, m, how) := h in
  option_map (fun v => attention (at_row how i) (first m a i) (last m b i) (score Q K reads seen i) (dot v reads seen))
    (row c writes V).
Fixpoint heads_output (heads : list head) (a b : Z) (seen x : stream) (c : string) (i : Z) : R :=
  match heads with
  | nil => x c i
  | h :: rest => plus (heads_output rest a b seen x c i) (head_output h a b seen c i)
  end.

Definition after (p : part) (a b : Z) (x : stream) : stream := fun c i =>
  match p with
  | Attention heads => heads_output heads a b x x c i
  | Network reads writes W1 b1 W2 b2 f =>
      plus (x c i) (option_map (fun wb => product (fst wb) (units f W1 b1 reads x i) + snd wb)
                      (row c writes (combine W2 b2)))
  | Norm names gain bias epsilon _ =>
      match row c names (combine gain bias) with
      | Some (g, b) => (x c i - mean names x i) / deviation names epsilon x i * g + b
      | None => x c i
      end
  | Beside reads names P => match row c names P with Some p => dot p reads x i | None => x c i end
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

(* what a part needs of the stream x before it, so that there is a run: a temperature is positive, and a norm that refuses
   a variance of zero has a deviation above zero at every position *)
Definition temperature_above (h : head) (a b : Z) : Prop :=
  let '(_, _, _, _, _, _, how) := h in
  match how with
  | alike (softmax _ temperature) => 0 < temperature
  | softmax_by _ temperature => forall i : Z, a <= i <= b -> 0 < temperature i
  | _ => True
  end.
Definition possible (p : part) (a b : Z) (x : stream) : Prop :=
  match p with
  | Attention heads => fold_right (fun h rest => temperature_above h a b /\ rest) True heads
  | Norm names _ _ epsilon true => forall i : Z, a <= i <= b -> 0 < deviation names epsilon x i
  | _ => True
  end.
Definition has_run (m : model) (n : Z) (w : Z -> Z) (given : stream) : Prop :=
  match longest m with Some most => n <= most | None => True end /\
  forall k p, nth_error (parts m) k = Some p -> possible p (start m) (start m + n - 1)%Z (stage m n w given k).

Fixpoint one_of (ts : list Z) (t : Z) : Prop :=
  match ts with x :: ts => IZR t = IZR x \/ one_of ts t | nil => False end.
(* w has at each position a word that may be typed, or what the model adds there *)
Definition is_word (m : model) (n : Z) (w : Z -> Z) : Prop :=
  let top := (start m + n - 1)%Z in
  let low := match before m with Some _ => start m + 1 | None => start m end%Z in
  let high := match after_last m with Some _ => top - 1 | None => top end%Z in
  match before m with Some t => IZR (w (start m)) = IZR t | None => True end /\
  match after_last m with Some t => IZR (w top) = IZR t | None => True end /\
  match before m, after_last m with Some _, Some _ => 2 <= n | _, _ => True end /\
  forall i : Z, low <= i <= high -> one_of (typed m) (w i).

Definition decides (d : decision) (x : stream) (i : Z) : Prop :=
  match d with
  | all_zero names => fold_right (fun c rest => x c i = 0 /\ rest) True names
  | positive weights names => 0 < dot weights names x i
  end.
(* the decision on the last stream x *)
Definition accepts (m : model) (n : Z) (x : stream) : Prop :=
  let top := (start m + n - 1)%Z in
  match readout m with
  | Some (d, at_first) => decides d x (start m)
  | Some (d, at_last) => decides d x top
  | Some (d, everywhere) => forall i : Z, start m <= i <= top -> decides d x i
  | None => False
  end.

(* what head number h of part k adds, where x is the stream before it *)
Definition contribution (m : model) (n : Z) (k h : nat) (x : stream) : stream := fun c i =>
  match nth_error (parts m) k with
  | Some (Attention heads) =>
      match nth_error heads h with
      | Some one => plus 0 (head_output one (start m) (start m + n - 1) x c i)
      | None => 0
      end
  | _ => 0
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

Lemma sum_single : forall (a b j : Z), (a <= j <= b)%Z -> sum a b (fun k => ind (IZR k = IZR j)) = 1.
Proof.
  intros a b j h. unfold sum. assert (e : forall n, sum_of n a (fun k => ind (IZR k = IZR j)) =
    if Z_lt_dec j (a + Z.of_nat n) then 1 else 0).
  { induction n as [|n ih]; [destruct Z_lt_dec; [lia | reflexivity]|]. cbn [sum_of]. rewrite ih.
    destruct (Z.eq_dec (a + Z.of_nat n) j) as [<-|d].
    - rewrite ind_true by tauto. repeat destruct Z_lt_dec; first [lia | ring].
    - rewrite ind_false by (split; [intros q%eq_IZR; contradiction | tauto]).
      repeat destruct Z_lt_dec; first [lia | ring]. }
  rewrite e. destruct Z_lt_dec; [reflexivity | lia].
Qed.
(* the place of the greatest score, the rightmost or leftmost one *)
Lemma greatest_right : forall (a b : Z) (s : Z -> R), (a <= b)%Z ->
  exists j, (a <= j <= b)%Z /\ forall k, (a <= k <= b)%Z -> s k <= s j /\ ((j < k)%Z -> s k < s j).
Proof.
  intros a b s. revert b. apply Zlt_lower_bound_ind. intros b ih h. destruct (Z.eq_dec a b) as [<-|d].
  - exists a. split; [lia|]. intros k g. replace k with a by lia. split; [lra | lia].
  - destruct (ih (b - 1)%Z) as [j [g best]]; [lia|]. destruct (Rle_or_lt (s j) (s b)) as [l|l].
    + exists b. split; [lia|]. intros k r. destruct (Z.eq_dec k b) as [->|]; [split; [lra | lia]|].
      destruct (best k) as [q _]; [lia|]. split; [lra | lia].
    + exists j. split; [lia|]. intros k r. destruct (Z.eq_dec k b) as [->|]; [split; lra|]. apply best. lia.
Qed.
Lemma greatest_left : forall (a b : Z) (s : Z -> R), (a <= b)%Z ->
  exists j, (a <= j <= b)%Z /\ forall k, (a <= k <= b)%Z -> s k <= s j /\ ((k < j)%Z -> s k < s j).
Proof.
  intros a b s. revert b. apply Zlt_lower_bound_ind. intros b ih h. destruct (Z.eq_dec a b) as [<-|d].
  - exists a. split; [lia|]. intros k g. replace k with a by lia. split; [lra | lia].
  - destruct (ih (b - 1)%Z) as [j [g best]]; [lia|]. destruct (Rlt_or_le (s j) (s b)) as [l|l].
    + exists b. split; [lia|]. intros k r. destruct (Z.eq_dec k b) as [->|]; [split; [lra | lia]|].
      destruct (best k) as [q _]; [lia|]. split; lra.
    + exists j. split; [lia|]. intros k r. destruct (Z.eq_dec k b) as [->|]; [split; [lra | lia]|]. apply best. lia.
Qed.
(* one position of a window has all the weight *)
Lemma one_weight : forall how (a b : Z) s, how = leftmost \/ how = rightmost -> (a <= b)%Z ->
  sum a b (weight how a b s) = 1.
Proof.
  intros how a b s which h.
  assert (e : exists j, (a <= j <= b)%Z /\ forall k, (a <= k <= b)%Z -> weight how a b s k = ind (IZR k = IZR j)).
  { destruct which as [-> | ->];
      [destruct (greatest_left a b s h) as [j [g best]] | destruct (greatest_right a b s h) as [j [g best]]];
      (exists j; split; [assumption|]; intros k r; apply ind_ext; split;
       [ intros all; destruct (best k r) as [p q]; destruct (all j) as [p' q']; [split; apply IZR_le; lia|];
         f_equal; destruct (Z.lt_trichotomy k j) as [l|[l|l]]; [|assumption|]; exfalso;
         first [specialize (q l) | specialize (q' (IZR_lt _ _ l))]; lra
       | intros <-%eq_IZR i [u%le_IZR v%le_IZR]; destruct (best i (conj u v)) as [p q];
         split; [assumption|]; intros l%lt_IZR; auto ]). }
  destruct e as [j [g e]]. rewrite (sum_within a b _ (fun k => ind (IZR k = IZR j)) e). now apply sum_single.
Qed.
Lemma attention_one : forall how (a b : Z) s v, how = leftmost \/ how = rightmost ->
  attention how a b s v = sum a b (fun j => weight how a b s j * v j).
Proof.
  intros how a b s v which. unfold attention. destruct (Z_le_gt_dec a b) as [h|h].
  - rewrite one_weight by assumption. field.
  - rewrite !sum_0 by lia. unfold Rdiv. ring.
Qed.
(* the average over the greatest scores *)
Lemma some_weight : forall (a b : Z) s, (a <= b)%Z -> 1 <= sum a b (weight average a b s).
Proof.
  intros a b s h. destruct (greatest_left a b s h) as [j [g best]]. rewrite <- (sum_single a b j g).
  assert (e : forall k, (a <= k <= b)%Z -> ind (IZR k = IZR j) <= weight average a b s k).
  { intros k r. unfold weight. destruct (ind_cases (IZR k = IZR j)) as [[q%eq_IZR ->]|[_ ->]].
    - subst k. rewrite ind_true; [lra|]. split; [trivial|]. intros _ i [u%le_IZR v%le_IZR]. now apply best.
    - destruct (ind_cases (forall i : Z, a <= i <= b -> s i <= s k)) as [[_ ->]|[_ ->]]; lra. }
  clear best. unfold sum in *. assert (q : forall n, (Z.of_nat n <= b - a + 1)%Z ->
    sum_of n a (fun k => ind (IZR k = IZR j)) <= sum_of n a (weight average a b s)).
  { induction n as [|n ih]; intros l; cbn [sum_of]; [lra|]. assert (r := e (a + Z.of_nat n)%Z).
    apply Rplus_le_compat; [apply ih; lia | apply r; lia]. }
  apply q. lia.
Qed.
Lemma sum_none : forall (a b : Z) f, (b < a)%Z -> sum a b f = 0.
Proof. intros a b f h. unfold sum. replace (Z.to_nat (b - a + 1)) with O by lia. reflexivity. Qed.
Lemma attention_none : forall how (a b : Z) s v, (b < a)%Z -> attention how a b s v = 0.
Proof. intros how a b s v h. unfold attention. rewrite (sum_none a b (fun j => weight how a b s j * v j)) by assumption. unfold Rdiv. ring. Qed.
Lemma sum_above : forall (a b : Z) f, (a <= b)%Z -> (forall j, 0 < f j) -> 0 < sum a b f.
Proof.
  intros a b f h p. unfold sum. replace (b - a + 1)%Z with (Z.succ (b - a)) by lia. rewrite Z2Nat.inj_succ by lia.
  induction (Z.to_nat (b - a)) as [|k ih]; cbn [sum_of] in *; [assert (q := p (a + Z.of_nat 0)%Z); lra|].
  assert (q := p (a + Z.of_nat (S k))%Z). lra.
Qed.
(* average and softmax, with no division: also where nothing is seen *)
Definition spread (how : weighting) : Prop := how = average \/ exists u t, how = softmax u t.
Lemma attention_weighed : forall how (a b : Z) s v, spread how ->
  attention how a b s v * sum a b (weight how a b s) = sum a b (fun j => weight how a b s j * v j).
Proof.
  intros how a b s v which. destruct (Z_lt_le_dec b a) as [h|h].
  - rewrite attention_none, !sum_none by assumption. ring.
  - unfold attention. assert (p : 0 < sum a b (weight how a b s)); [|field; lra].
    destruct which as [->|[u [t ->]]]; [assert (p := some_weight a b s h); lra|].
    apply sum_above; [assumption | intros j; apply exp_pos].
Qed.
Lemma attention_counted : forall c how (a b : Z) s v, spread how -> (a <= b + 1)%Z -> (forall j, s j = 0 :> R) ->
  IZR (b - a + 1) = c -> attention how a b s v * c = sum a b v.
Proof.
  intros c how a b s v which h zero <-. destruct (Z_lt_le_dec b a) as [l|l].
  - rewrite attention_none, sum_none by assumption. ring.
  - rewrite (attention_mean (IZR (b - a + 1))) by (assumption || reflexivity). field. apply not_0_IZR. lia.
Qed.
(* layer norm: where the deviation is zero, each entry is the mean *)
Lemma total_squares : forall names (f : stream) i, 0 <= total names (fun c i => f c i ^ 2) i /\
  (total names (fun c i => f c i ^ 2) i <= 0 -> forall c, In c names -> f c i = 0).
Proof.
  intros names f i. induction names as [|c names [p q]]; cbn [total In]; [split; [lra | tauto]|].
  assert (r := pow2_ge_0 (f c i)). split; [lra|]. intros z d [->|h].
  - assert (e : f d i ^ 2 = 0) by lra. simpl in e. rewrite Rmult_1_r in e. destruct (Rmult_integral _ _ e); assumption.
  - apply q; [lra | assumption].
Qed.
Lemma deviation_zero : forall names epsilon x i c, 0 <= epsilon -> In c names ->
  deviation names epsilon x i = 0 -> x c i - mean names x i = 0.
Proof.
  intros names epsilon x i c p h z. unfold deviation in z.
  destruct (total_squares names (fun c i => x c i - mean names x i) i) as [q r].
  assert (l : 0 < INR (List.length names)) by (apply lt_0_INR; destruct names; [destruct h | simpl; lia]).
  set (t := total _ _ _) in *.
  assert (d : 0 <= t / INR (List.length names)).
  { apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat]. }
  apply sqrt_eq_0 in z; [|lra]. apply (r) with (c := c); [|assumption].
  assert (e : t / INR (List.length names) = 0) by lra. unfold Rdiv in e.
  apply Rmult_integral in e. destruct e as [e|e]; [lra|].
  assert (n := Rinv_0_lt_compat _ l). lra.
Qed.
Lemma norm_value : forall x m d g b, (d = 0 -> x - m = 0) -> ((x - m) / d * g + b - b) * d = g * (x - m).
Proof. intros x m d g b h. destruct (Req_dec d 0) as [e|e]; [rewrite (h e), e; unfold Rdiv; ring | field; assumption]. Qed.
Lemma norm_zero : forall x m d g b, d = 0 -> (x - m) / d * g + b = b.
Proof. intros x m d g b ->. unfold Rdiv. rewrite Rinv_0. ring. Qed.

(* Where a run keeps a coordinate, and what it is where nothing has written it. *)
Fixpoint member (c : string) (names : list string) : bool :=
  match names with name :: names => if String.eqb c name then true else member c names | nil => false end.
Definition writes (p : part) (c : string) : bool :=
  match p with
  | Attention heads => existsb (fun h : head => let '(_, names, _, _, _, _, _) := h in member c names) heads
  | Network _ names _ _ _ _ _ => member c names
  | Norm names _ _ _ _ => member c names
  | Beside _ names _ => member c names
  end.
Lemma row_none : forall A c names (rows : list A), member c names = false -> row c names rows = None.
Proof.
  intros A c names. induction names as [|name names ih]; intros [|r rows] h; try reflexivity. cbn in *.
  destruct (String.eqb c name); [discriminate | auto].
Qed.
Lemma row_in : forall A c names (rows : list A) r, row c names rows = Some r -> In c names.
Proof.
  intros A c names. induction names as [|name names ih]; intros [|q rows] r h; try discriminate. cbn in *.
  destruct (String.eqb_spec c name) as [->|]; [now left | right; eapply ih; exact h].
Qed.
Lemma after_other : forall p a b x c, writes p c = false -> after p a b x c = x c.
Proof.
  intros p a b x c h. apply functional_extensionality. intros i. unfold after.
  destruct p as [heads | reads names W1 b1 W2 b2 f | names gain bias epsilon refuses | reads names P]; cbn [writes] in h.
  - set (seen := x) at 1. clearbody seen.
    induction heads as [|[[[[[[reads names] Q] K] V] m] how] heads ih]; [reflexivity|].
    cbn [existsb] in h. apply Bool.orb_false_elim in h. destruct h as [h r].
    cbn [heads_output head_output]. rewrite row_none by assumption. apply (ih r).
  - now rewrite row_none.
  - now rewrite row_none.
  - now rewrite row_none.
Qed.
(* the number of parts up to the last one that writes c, among the first k *)
Fixpoint latest (ps : list part) (c : string) (k : nat) : nat :=
  match k with
  | O => O
  | S j => match nth_error ps j with Some p => if writes p c then k else latest ps c j | None => latest ps c j end
  end.
Lemma stage_latest : forall m n w g k c, stage m n w g k c = stage m n w g (latest (parts m) c k) c.
Proof.
  intros m n w g k c. induction k as [|k ih]; [reflexivity|]. cbn [latest stage].
  destruct (nth_error (parts m) k) as [p|] eqn:e; [|exact ih]. destruct (writes p c) eqn:h; [|now rewrite after_other].
  cbn [stage]. now rewrite e.
Qed.
Definition absent (m : model) (c : string) : bool :=
  negb (existsb (fun r : Z * list (string * R) => member c (map (@fst _ _) (snd r))) (words m) ||
        member c (inputs m) || member c (map (@fst _ _) (positions m))).
Lemma not_input : forall c names, member c names = false -> existsb (String.eqb c) names = false.
Proof. intros c names. induction names as [|d names ih]; cbn; [trivial|]. destruct (String.eqb c d); [discriminate | exact ih]. Qed.
Lemma embedded_absent : forall m w g c, absent m c = true -> embedded m w g c = fun _ => 0.
Proof.
  intros m w g c h. apply functional_extensionality. intros i. unfold absent in h. apply Bool.negb_true_iff in h.
  apply Bool.orb_false_elim in h. destruct h as [h p]. apply Bool.orb_false_elim in h. destruct h as [h q].
  unfold embedded. rewrite (row_none _ _ _ _ p), (not_input _ _ q). cbn [option_map plus].
  induction (words m) as [|[k r] rows ih]; [reflexivity|]. cbn [existsb snd] in h. apply Bool.orb_false_elim in h.
  destruct h as [h t]. cbn [from_words]. rewrite row_none by assumption. exact (ih t).
Qed.
Lemma stage_kept : forall m n w g k c l, latest (parts m) c k = l -> stage m n w g k c = stage m n w g l c.
Proof. intros m n w g k c l <-. apply stage_latest. Qed.
Lemma stage_absent : forall m n w g k c, latest (parts m) c k = O -> absent m c = true -> stage m n w g k c = fun _ => 0.
Proof. intros m n w g k c l h. rewrite stage_latest, l. now apply embedded_absent. Qed.
Lemma after_stage : forall m n w g k p a b, nth_error (parts m) k = Some p -> start m = a -> (a + n - 1)%Z = b ->
  stage m n w g (S k) = after p a b (stage m n w g k).
Proof. intros m n w g k p a b h <- <-. cbn [stage]. now rewrite h. Qed.
Lemma contribution_of : forall m n k heads h one y c i a b, nth_error (parts m) k = Some (Attention heads) ->
  nth_error heads h = Some one -> start m = a -> (a + n - 1)%Z = b ->
  contribution m n k h y c i = plus 0 (head_output one a b y c i).
Proof. intros m n k heads h one y c i a b e f <- <-. unfold contribution. now rewrite e, f. Qed.
Lemma stage_beside : forall m n w g k reads names P c p, nth_error (parts m) k = Some (Beside reads names P) ->
  row c names P = Some p -> stage m n w g (S k) c = dot p reads (stage m n w g k).
Proof. intros m n w g k reads names P c p e h. cbn [stage]. rewrite e. unfold after. now rewrite h. Qed.
Lemma norm_row : forall names gain bias e f a b y c i g h, row c names (combine gain bias) = Some (g, h) -> 0 <= e ->
  (after (Norm names gain bias e f) a b y c i - h) * deviation names e y i = g * (y c i - mean names y i).
Proof.
  intros names gain bias e f a b y c i g h r p. unfold after. rewrite r. apply norm_value. intros z.
  now apply (deviation_zero names e y i c p (row_in _ _ _ _ _ r)).
Qed.
Lemma norm_row_zero : forall names gain bias e f a b y c i g h, row c names (combine gain bias) = Some (g, h) ->
  deviation names e y i = 0 -> after (Norm names gain bias e f) a b y c i = h.
Proof. intros names gain bias e f a b y c i g h r z. unfold after. rewrite r. now apply norm_zero. Qed.
Lemma mean_of : forall names y i k, Z.of_nat (List.length names) = k -> mean names y i = total names y i / IZR k.
Proof. intros names y i k <-. unfold mean. now rewrite INR_IZR_INZ. Qed.
Lemma deviation_of : forall names e y i k, Z.of_nat (List.length names) = k ->
  deviation names e y i = sqrt (total names (fun c i => (y c i - mean names y i) ^ 2) i / IZR k + e).
Proof. intros names e y i k <-. unfold deviation. now rewrite INR_IZR_INZ. Qed.

(* The equations of a run, computed: both sides are the same up to ring laws, around functions and inside them. What is
   the same on both sides gets a name. *)
Ltac differ a b := assert_fails (constr_eq a b).
Ltac inverted := (* what divides may be zero: its inverse is a number of its own *)
  unfold Rdiv;
  repeat match goal with |- context [/ ?r] => lazymatch r with IZR _ => fail | _ => generalize (/ r); intro end end.
Ltac align a b f := (* f a and f b for the function f *)
  tryif constr_eq a b then idtac else (let e := fresh in assert (e : a = b) by same; rewrite e; clear e);
  let t := eval cbv beta in (f b) in generalize t; intro
with pair_aligned :=
  match goal with |- ?l = ?r =>
    match l with
    | context [relu ?a] => match r with context [relu ?b] => align a b relu end
    | context [erf ?a] => match r with context [erf ?b] => align a b erf end
    | context [exp ?a] => match r with context [exp ?b] => align a b exp end
    | context [sqrt ?a] => match r with context [sqrt ?b] => align a b sqrt end
    | context [ind ?a] => match r with context [ind ?b] =>
        tryif constr_eq a b then idtac else
          (let e := fresh in assert (e : ind a = ind b) by (apply ind_ext; same_formula); rewrite e; clear e);
        generalize (ind b); intro end
    | context [sum ?a ?b ?f] => match r with context [sum ?c ?d ?g] =>
        tryif constr_eq (sum a b f) (sum c d g) then idtac else
          (let e := fresh in
           assert (e : sum a b f = sum c d g) by (apply sum_both; [try reflexivity; lia | try reflexivity; lia | intro; same]);
           rewrite e; clear e);
        generalize (sum c d g); intro end
    | context [?a / ?b] => match r with context [?c / ?d] =>
        tryif constr_eq (a / b) (c / d) then idtac else
          (let e := fresh in assert (e : a / b = c / d) by (apply f_equal2; same); rewrite e; clear e);
        generalize (c / d); intro end
    end
  end
with same :=
  first
    [ reflexivity
    | repeat once pair_aligned; first [reflexivity | ring | field; repeat split; first [assumption | lra] | inverted; field] ]
with same_formula :=
  first
    [ reflexivity
    | lazymatch goal with
      | |- (forall _, _) <-> (forall _, _) => first [apply imp_both; same_formula | apply all_both; intro; same_formula]
      | |- _ /\ _ <-> _ /\ _ => apply and_both; same_formula
      | |- _ <= _ <-> _ <= _ => apply le_both; same
      | |- _ < _ <-> _ < _ => apply lt_both; same
      | |- _ = _ <-> _ = _ => apply eq_both; same
      end ].
(* heads: the mean where all scores are zero, the last position, or weights by scores *)
Ltac attended :=
  repeat match goal with |- ?l = ?r =>
    match l with context [attention ?h ?a ?b ?s ?v] =>
      first
        [ rewrite (attention_none h a b s v) by lia (* no position is seen *)
        | rewrite (attention_last a b s v) by (intro; ring)
        | match r with context [Rdiv _ ?c] =>
            rewrite (attention_mean c h a b s v);
            [ | first [now left | right; do 2 eexists; reflexivity] | lia | rewrite ?plus_IZR, ?minus_IZR, ?plus_IZR; ring | intro; ring]
          end
        | rewrite (attention_one h a b s v) by (first [now left | now right]); unfold weight
        | lazymatch h with softmax _ _ => unfold attention, weight end ]
    end
  end.
Ltac settled := first [reflexivity | rewrite ?Rmult_0_l, ?Rplus_0_l, ?Rplus_0_r; attended; rewrite ?minus_IZR, ?plus_IZR; same].
Ltac averaged := (* the average over the greatest scores, or softmax, multiplied by all weights *)
  lazymatch goal with |- ?l * ?t = _ =>
    lazymatch l with context [attention ?h ?a ?b ?s ?v] =>
      let spreads := (unfold spread; first [left; reflexivity | right; do 2 eexists; reflexivity]) in
      transitivity (attention h a b s v * t); [ring|];
      first
        [ rewrite (attention_counted t h a b s v);
          [ | spreads | lia | intro; ring | rewrite ?plus_IZR, ?minus_IZR, ?plus_IZR; ring ]
        | replace t with (sum a b (weight h a b s)) by (unfold weight; rewrite ?minus_IZR, ?plus_IZR; same);
          rewrite attention_weighed by spreads ];
      unfold weight; rewrite ?minus_IZR, ?plus_IZR; same
    end
  end.
(* An equation of the run: its left side is one part further than the right one. x is its stream, of the model m. *)
Ltac head_of t := lazymatch t with ?f _ => head_of f | _ => t end.
Ltac opened p := let f := head_of p in eval cbv beta delta [f] in p.
Ltac part_of name m k :=
  let ps := eval cbv beta iota delta [parts name] in (parts m) in
  let p := eval cbv beta iota delta [nth_error] in (nth_error ps k) in
  lazymatch p with Some ?p => opened p end.
Ltac with_ends name m n k := (* k a b e: the first and the last position, and why *)
  let a := eval cbv beta iota delta [start name] in (start m) in
  lazymatch a with
  | 1%Z => k a n (Z.add_simpl_l 1 n)
  | 0%Z => k a (n - 1)%Z (eq_refl (n - 1)%Z)
  end.
(* weighted sums without the terms whose weight is 0 *)
Fixpoint zero_at (zs : list bool) (ws : list R) : Prop :=
  match zs, ws with
  | z :: zs, w :: ws => (if z then w = 0 else True) /\ zero_at zs ws
  | nil, nil => True
  | _, _ => False
  end.
Fixpoint some_product (zs : list bool) (ws xs : list R) : R :=
  match zs, ws, xs with
  | z :: zs, w :: ws, x :: xs => if z then some_product zs ws xs else w * x + some_product zs ws xs
  | _, _, _ => 0
  end.
Fixpoint some_dot (zs : list bool) (ws : list R) (names : list string) (x : stream) (i : Z) : R :=
  match zs, ws, names with
  | z :: zs, w :: ws, c :: cs => if z then some_dot zs ws cs x i else w * x c i + some_dot zs ws cs x i
  | _, _, _ => 0
  end.
Lemma sparse_product : forall zs ws xs, zero_at zs ws -> product ws xs = some_product zs ws xs.
Proof.
  induction zs as [|z zs ih]; intros [|w ws] xs h; try contradiction; [reflexivity|]. destruct h as [h r].
  destruct xs as [|x xs]; [reflexivity|]. cbn [product some_product]. rewrite (ih ws xs r).
  destruct z; [rewrite h; ring | reflexivity].
Qed.
Lemma sparse_dot : forall zs ws names x, zero_at zs ws -> dot ws names x = some_dot zs ws names x.
Proof.
  intros zs ws names x h. apply functional_extensionality. intros i. revert ws names h.
  induction zs as [|z zs ih]; intros [|w ws] names h; try contradiction; [reflexivity|]. destruct h as [h r].
  destruct names as [|c names]; [reflexivity|]. cbn [dot some_dot]. rewrite (ih ws names r).
  destruct z; [rewrite h; ring | reflexivity].
Qed.
Ltac zeros_of ws := lazymatch ws with
  | nil => constr:(@nil bool)
  | ?w :: ?ws => let zs := zeros_of ws in lazymatch w with IZR Z0 => constr:(cons true zs) | _ => constr:(cons false zs) end
  end.
Ltac zeros_hold := repeat first [exact I | split; [first [reflexivity | exact I]|]].
Ltac sparse_dots :=
  repeat match goal with |- context [dot ?ws ?names ?x] =>
    let zs := zeros_of ws in let e := fresh in
    assert (e : dot ws names x = some_dot zs ws names x) by (apply sparse_dot; zeros_hold); rewrite e; clear e
  end;
  cbv beta iota delta [some_dot].
Ltac written_out :=
  cbv beta iota delta [after heads_output head_output at_row plus row existsb String.eqb Ascii.eqb Bool.eqb option_map combine
    fst snd score first last];
  repeat match goal with |- context [product ?ws ?us] =>
    let zs := zeros_of ws in let e := fresh in
    assert (e : product ws us = some_product zs ws us) by (apply sparse_product; zeros_hold); rewrite e; clear e
  end;
  cbv beta iota delta [some_product units activated];
  sparse_dots.
(* the coordinates before a part, as functions of which nothing is known; they are called by the part that wrote them.
   What stands beside them is spelled out. *)
Ltac places x m n w g :=
  repeat match goal with |- context [x ?k ?c] =>
    let l := eval lazy in (latest (parts m) c k) in
    let z := lazymatch l with O => eval lazy in (absent m c) | _ => false end in
    let e := fresh in
    lazymatch z with
    | true => assert (e : x k c = fun _ => 0) by exact (stage_absent m n w g k c eq_refl eq_refl); rewrite e; clear e
    | false =>
        tryif constr_eq l k then idtac
        else (assert (e : x k c = x l c) by exact (stage_kept m n w g k c l eq_refl); rewrite e; clear e);
        let name := head_of m in
        let p := lazymatch l with S ?j => part_of name m j | O => false end in
        lazymatch p with
        | Beside ?reads ?names ?P =>
            let r := eval cbv beta iota delta [row names String.eqb Ascii.eqb Bool.eqb] in (row c names P) in
            lazymatch l with S ?j => lazymatch r with Some ?p =>
              assert (e : x l c = dot p reads (x j)) by exact (stage_beside m n w g j reads names P c p eq_refl eq_refl);
              rewrite e; clear e; sparse_dots
            end end
        | _ =>
            lazymatch goal with
            | e : x l c = _ |- _ => rewrite e
            | _ => let r := fresh in destruct (ex_intro (fun r => x l c = r) _ eq_refl) as [r e]; rewrite e
            end
        end
    end
  end;
  repeat match goal with e : x _ _ = _ |- _ => clear e end;
  cbv beta.
Ltac step_to x name m n w g k tactic := (* the stream after part k, by the one before *)
  let p := part_of name m k in
  with_ends name m n ltac:(fun a b e =>
    let q := fresh in
    assert (q : x (S k) = after p a b (x k)) by exact (after_stage m n w g k p a b eq_refl eq_refl e);
    rewrite q; clear q; tactic p a b).
Lemma between : forall l s t r : R, s = t -> l = s -> t = r -> l = r.
Proof. congruence. Qed.
Ltac gain_and_bias c names gain bias tactic :=
  let r := eval cbv beta iota delta [row combine names String.eqb Ascii.eqb Bool.eqb] in (row c names (combine gain bias)) in
  lazymatch r with Some (?g, ?h) => tactic g h end.
Ltac normed x m n w g k :=
  lazymatch goal with
  | z : deviation _ _ _ _ = 0 |- after (Norm ?names ?gain ?bias ?d ?f) ?a ?b _ ?c ?i = _ =>
      gain_and_bias c names gain bias ltac:(fun s h =>
        rewrite (norm_row_zero names gain bias d f a b (x k) c i s h eq_refl z); ring)
  | |- context [after (Norm ?names ?gain ?bias ?d ?f) ?a ?b _ ?c ?i] =>
      gain_and_bias c names gain bias ltac:(fun s h =>
        let q := fresh in
        assert (q : (after (Norm names gain bias d f) a b (x k) c i - h) * deviation names d (x k) i
                    = s * (x k c i - mean names (x k) i)) by (apply norm_row; [reflexivity | lra]);
        revert q; generalize (after (Norm names gain bias d f) a b (x k) c i) (deviation names d (x k) i) (mean names (x k) i);
        places x m n w g; intros ? ? ? q; refine (between _ _ _ _ q _ _); ring)
  end.
Ltac total_of names :=
  lazymatch goal with |- context [total names ?f ?i] =>
    let l := eval unfold names in names in change (total names f i) with (total l f i)
  end;
  cbv beta iota delta [total].
Ltac squares := repeat match goal with |- ?l = ?r =>
    match l with context [(?a - ?b) ^ 2] => match r with context [(a - b) ^ 2] => generalize ((a - b) ^ 2); intro end end
  end.
Ltac contributions x name m n k :=
  let p := part_of name m k in
  repeat match goal with |- context [contribution m n k ?h (x k) ?c ?i] =>
    lazymatch p with Attention ?heads =>
      let one := eval cbv beta iota delta [nth_error] in (nth_error heads h) in
      lazymatch one with Some ?one => with_ends name m n ltac:(fun a b e =>
        rewrite (contribution_of m n k heads h one (x k) c i a b eq_refl eq_refl eq_refl e)) end
    end
  end.
Ltac equation x name m n w g :=
  lazymatch goal with
  | |- mean ?names (x ?k) ?i = _ =>
      let l := eval lazy in (Z.of_nat (List.length names)) in
      rewrite (mean_of names (x k) i l eq_refl); total_of names; places x m n w g; same
  | |- deviation ?names ?d (x ?k) ?i = _ =>
      let l := eval lazy in (Z.of_nat (List.length names)) in
      rewrite (deviation_of names d (x k) i l eq_refl); total_of names; generalize (mean names (x k) i); intro;
      places x m n w g; squares; same
  | |- contribution _ _ ?k _ (x ?k) _ _ = _ => contributions x name m n k; written_out; places x m n w g; settled
  | |- contribution _ _ ?k _ (x ?k) _ _ * _ = _ => contributions x name m n k; written_out; places x m n w g; averaged
  | |- deviation _ _ _ _ = 0 -> _ => intros ?; equation x name m n w g
  | |- IZR _ = _ -> _ => let e := fresh in intros e; rewrite <- ?minus_IZR in e; apply eq_IZR in e; equation x name m n w g
  | |- x O ?c ?i = _ =>
      change (x O c i) with (embedded m w g c i);
      cbv beta iota delta [embedded name from_words words inputs positions plus row existsb String.eqb Ascii.eqb Bool.eqb
        orb andb option_map map fst snd]; settled
  | |- context [x (S ?k) ?c ?i] =>
      step_to x name m n w g k ltac:(fun p a b =>
        lazymatch p with
        | Norm _ _ _ _ _ => normed x m n w g k
        | _ =>
            lazymatch goal with
            | |- context [contribution] => contributions x name m n k; written_out; places x m n w g; ring
            | _ => written_out; places x m n w g; first [averaged | settled]
            end
        end)
  end.
Ltac holds_in_run relation name :=
  intros; unfold relation;
  lazymatch goal with
  | |- forall i : Z, _ -> _ =>
      let j := fresh "j" in let p := fresh in let q := fresh in
      intros j [p q]; rewrite <- ?minus_IZR in q; try apply le_IZR in p; try apply le_IZR in q
  | _ => idtac
  end;
  lazymatch goal with x := stage ?m ?n ?w ?g |- _ => repeat match goal with |- _ /\ _ => split end; equation x name m n w g end.
(* the relation has no other solution than the run *)
Lemma cancelled : forall a b t u s r, a * t = s -> b * u = r -> t = u -> s = r -> t <> 0 -> a = b.
Proof. intros a b t u s r h k <- <- z. apply Rmult_eq_reg_r with t; [congruence | assumption]. Qed.
Lemma cancelled_added : forall a b o p t u s r, (a - o) * t = s -> (b - p) * u = r -> o = p -> t = u -> s = r -> t <> 0 ->
  a = b.
Proof. intros a b o p t u s r h k <- e f z. assert (q := cancelled _ _ _ _ _ _ h k e f z). lra. Qed.
Lemma imp_same : forall P A B : Prop, (P -> (A <-> B)) -> ((P -> A) <-> (P -> B)).
Proof. tauto. Qed.
Lemma some_greatest : forall (a b : Z) (s : Z -> R), (a <= b)%Z ->
  sum a b (fun j => ind (forall k : Z, a <= k <= b -> s k <= s j)) <> 0.
Proof. intros a b s h z. assert (p := some_weight a b s h). unfold weight in p. lra. Qed.
Ltac as_integers h := let p := fresh in let q := fresh in
  destruct h as [p q];
  rewrite <- ?minus_IZR, <- ?plus_IZR in p; rewrite <- ?minus_IZR, <- ?plus_IZR in q; apply le_IZR in p; apply le_IZR in q.
Ltac in_range := first [assumption | rewrite <- ?minus_IZR, <- ?plus_IZR; split; apply IZR_le; lia].
Ltac congruent :=
  first
    [ reflexivity
    | assumption
    | match goal with s : forall i : Z, _ -> ?v i = ?u i |- ?v _ = ?u _ => apply s; in_range end
    | lazymatch goal with
      | |- sum ?a ?b _ = sum ?a ?b _ => apply sum_within; intros ? ?; congruent
      | |- ind _ = ind _ => apply ind_ext; congruent_formula
      | |- ?f ?a ?b = ?f ?c ?d => apply f_equal2; congruent
      | |- ?f ?a = ?f ?b => apply f_equal; congruent
      end ]
with congruent_formula :=
  first
    [ reflexivity
    | lazymatch goal with
      | |- (forall k : Z, _) <-> (forall k : Z, _) => apply all_both; intro; congruent_formula
      | |- (_ -> _) <-> (_ -> _) => let h := fresh in apply imp_same; intros h; try as_integers h; congruent_formula
      | |- _ /\ _ <-> _ /\ _ => apply and_both; congruent_formula
      | |- _ <= _ <-> _ <= _ => apply le_both; congruent
      | |- _ < _ <-> _ < _ => apply lt_both; congruent
      | |- _ = _ <-> _ = _ => apply eq_both; congruent
      end ].
Ltac nonzero :=
  first
    [ assumption
    | match goal with h : forall i : Z, _ -> 0 < ?d i |- ?d _ <> 0 => apply Rgt_not_eq; apply h; in_range end
    | rewrite <- ?minus_IZR, <- ?plus_IZR; apply some_greatest; lia
    | rewrite <- ?minus_IZR, <- ?plus_IZR; apply Rgt_not_eq; apply sum_above; [lia | intro; apply exp_pos]
    | lra ].
Ltac cancel a b :=
  first [ apply (cancelled _ _ _ _ _ _ a b) | apply (cancelled_added _ _ _ _ _ _ _ _ a b) ]; first [nonzero | congruent].
Ltac as_places n := (* two places that are not the same, as integers *)
  try match type of n with IZR ?p <> IZR ?q =>
    let d := fresh in assert (d : p <> q) by (let e := fresh in intros e; apply n; exact (f_equal IZR e)) end.
Ltac solved a b :=
  lazymatch type of a with
  | ?e /\ (?p = ?q -> _) =>
      let y := fresh in let z := fresh in let n := fresh in
      destruct a as [a y]; destruct b as [b z];
      destruct (Req_dec p q) as [n|n];
      [ rewrite (y n), z by (rewrite <- n; symmetry; congruent || (rewrite n; congruent)); congruent
      | as_places n; cancel a b ]
  | ?l = _ => first [rewrite a, b; congruent | cancel a b]
  end.
Ltac both_hold e f :=
  lazymatch type of e with
  | forall i : Z, _ -> _ =>
      lazymatch goal with h : _ <= IZR ?i <= _ |- _ =>
        let a := fresh in let b := fresh in
        assert (a := e i h); assert (b := f i h); cbv beta in a, b; as_integers h; solved a b
      end
  | _ => solved e f
  end.
Ltac is_about relation p := let r := head_of p in constr_eq r relation.
Ltac determined relation :=
  intros;
  match goal with f : ?q |- _ => is_about relation q;
    match goal with e : ?p |- _ => is_about relation p; differ e f; unfold relation in e, f; both_hold e f end
  end.
(* what a run needs: one part after the other, and at the places as the relation numbers them *)
Fixpoint possible_to (m : model) (n : Z) (w : Z -> Z) (given : stream) (k : nat) : Prop :=
  match k with
  | O => True
  | S k =>
      possible_to m n w given k /\
      match nth_error (parts m) k with
      | Some p => possible p (start m) (start m + n - 1)%Z (stage m n w given k)
      | None => True
      end
  end.
Lemma possible_all : forall m n w g, possible_to m n w g (List.length (parts m)) -> forall k p,
  nth_error (parts m) k = Some p -> possible p (start m) (start m + n - 1)%Z (stage m n w g k).
Proof.
  intros m n w g h k p e. assert (l : (k < List.length (parts m))%nat) by (apply nth_error_Some; rewrite e; discriminate).
  revert h l. generalize (List.length (parts m)). intros j. induction j as [|j ih]; intros h l; [lia|]. destruct h as [h r].
  destruct (Nat.eq_dec k j) as [->|d]; [now rewrite e in r | apply ih; [exact h | lia]].
Qed.
Lemma positions_from_one : forall (n : Z) (P : Z -> Prop),
  (forall i : Z, 1 <= i <= n -> P i) <-> (forall i : Z, 1 <= i <= (1 + n - 1)%Z -> P i).
Proof. intros n P. now rewrite Z.add_simpl_l. Qed.
Lemma positions_from_zero : forall (n : Z) (P : Z -> Prop),
  (forall i : Z, 0 <= i <= n - 1 -> P i) <-> (forall i : Z, 0 <= i <= (0 + n - 1)%Z -> P i).
Proof. intros n P. now rewrite Z.add_0_l, minus_IZR. Qed.
Lemma deviation_above : forall names epsilon x i, 0 < epsilon -> names <> nil -> 0 < deviation names epsilon x i.
Proof.
  intros names epsilon x i h e. unfold deviation. apply sqrt_lt_R0.
  destruct (total_squares names (fun c i => x c i - mean names x i) i) as [q _].
  assert (l : 0 < INR (List.length names)) by (apply lt_0_INR; destruct names; [contradiction | simpl; lia]).
  set (t := total _ _ _) in *. assert (0 <= t / INR (List.length names)); [|lra].
  apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat].
Qed.

Lemma above_same : forall (P : Z -> Prop) (a b : Z -> R), (forall i, P i -> a i = b i) -> (forall i, 0 < b i) ->
  forall i, P i -> 0 < a i.
Proof. intros P a b e p i q. rewrite (e i q). apply p. Qed.

(* words and decisions *)
Ltac tops := repeat match goal with
  | |- context [(1 + ?n - 1)%Z] => replace (1 + n - 1)%Z with n by lia
  | |- context [(0 + ?n - 1)%Z] => replace (0 + n - 1)%Z with (n - 1)%Z by lia
  end.
Ltac words relation name :=
  intros; unfold relation, is_word, name; cbn [before after_last typed start one_of]; tops;
  split; intros h; repeat match goal with h : _ /\ _ |- _ => destruct h | |- _ /\ _ => split end; try tauto;
  intros i q;
  lazymatch goal with h : forall _, _ |- _ =>
    let r := fresh in assert (r := h i); rewrite ?minus_IZR, ?plus_IZR in *;
    lazymatch type of r with ?p -> _ => let o := fresh in assert (o : p) by lra; specialize (r o) end; tauto
  end.
Ltac decided relation name :=
  intros;
  lazymatch goal with x := stage ?m ?n ?w ?g |- _ =>
    unfold relation, accepts; cbv beta iota delta [readout start name]; tops; unfold decides; cbn [fold_right dot];
    repeat match goal with |- context [x ?k ?c] =>
      let l := eval lazy in (latest (parts m) c k) in
      let e := fresh in
      differ l k; assert (e : x k c = x l c) by exact (stage_kept m n w g k c l eq_refl); rewrite e; clear e
    end; clearbody x
  end;
  first [ intuition lra | split; let h := fresh in let i := fresh in let r := fresh in intros h i r; specialize (h i r); intuition lra ].

(* What no stored model has: what these parts mean is shown at values. *)
Theorem gelu_value : forall x, activated gelu_units x = x * ((1 + erf (x / sqrt 2)) / 2).
Proof. intros x. unfold activated. generalize (erf (x / sqrt 2)). intros e. field. Qed.
Theorem leftmost_value : forall (s v : Z -> R), s 1%Z < s 2%Z -> s 3%Z = s 2%Z -> attention leftmost 1 3 s v = v 2%Z.
Proof.
  intros s v l e. rewrite attention_one by now left.
  rewrite (sum_within 1 3 _ (fun j => ind (IZR j = IZR 2) * v j)).
  - unfold sum. replace (Z.to_nat (3 - 1 + 1)) with 3%nat by reflexivity. cbn [sum_of Z.of_nat Z.add Pos.of_succ_nat
      Pos.succ Pos.add]. rewrite (ind_false (1 = 2)), (ind_true (2 = 2)), (ind_false (3 = 2)); try ring; split; trivial; lra.
  - intros j h. f_equal. unfold weight. apply ind_ext.
    assert (c : j = 1%Z \/ j = 2%Z \/ j = 3%Z) by lia. split.
    + intros g. assert (p : 1 <= IZR 2 <= 3) by lra. destruct (g 2%Z p) as [q r].
      destruct c as [-> | [-> | ->]]; [lra | reflexivity|]. exfalso. assert (IZR 2 < IZR 3) by lra. specialize (r H). lra.
    + intros q%eq_IZR. subst j. intros k [u%le_IZR t%le_IZR].
      assert (d : k = 1%Z \/ k = 2%Z \/ k = 3%Z) by lia. destruct d as [-> | [-> | ->]]; split; try lra.
Qed.
Definition ended (s : Z) : model := {|
  start := s; longest := None; words := nil; typed := [0; 1]%Z; before := Some 2%Z; after_last := Some 3%Z; inputs := nil;
  positions := nil; parts := nil; readout := None
|}.
Theorem ended_value : forall w, is_word (ended 1) 3 w <-> w 1%Z = 2%Z /\ (w 2%Z = 0%Z \/ w 2%Z = 1%Z) /\ w 3%Z = 3%Z.
Proof.
  intros w. unfold is_word, ended. cbn. split.
  - intros [a%eq_IZR [b%eq_IZR [_ h]]]. assert (p : 2 <= IZR 2 <= 2) by lra. destruct (h 2%Z p) as [e%eq_IZR|[e%eq_IZR|[]]]; tauto.
  - intros [-> [h ->]]. repeat split; try lra. intros i [p%le_IZR q%le_IZR]. replace i with 2%Z by lia.
    destruct h as [-> | ->]; [left | right; left]; reflexivity.
Qed.
