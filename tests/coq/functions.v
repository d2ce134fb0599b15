(* What the functions of families to `model` are written with (tests/coq/coqfamily.py): forms as lists of coefficients
   in the order in which they are met, matrices over the coordinates that forms name. Nothing here is trusted: at the
   values of a stored instance the function's value is compared with the constant of the stored model. *)
From Coq Require Import Reals ZArith QArith Lra List String DecimalString.
From Coq Require Import Classical_Prop ClassicalEpsilon FunctionalExtensionality.
From Symcook Require Import Meaning Laws Model.
Import ListNotations.
Open Scope string_scope.
Open Scope Z_scope.

Definition upto (a b : Z) : list Z := map (fun k => a + Z.of_nat k) (seq 0 (Z.to_nat (b - a + 1))).

(* --- Numbers: weights are rational, so that what is zero can be left out. *)
Definition real (q : Q) : R :=
  match Qnum q, Qden q with
  | a, 1%positive => IZR a
  | Zneg a, b => - (IZR (Zpos a) / IZR (Zpos b))
  | a, b => IZR a / IZR (Zpos b)
  end%R.
Definition zero (q : Q) : bool := Qeq_bool q 0.
Definition adding (f : Z -> Q) (a b : Z) : Q := fold_left (fun s k => Qred (s + f k)) (upto a b) 0%Q.
Definition adding_Z (f : Z -> Z) (a b : Z) : Z := fold_left (fun s k => s + f k) (upto a b) 0.
Definition less (a b : Q) : bool := negb (Qle_bool b a).
Definition one_if (b : bool) : Z := if b then 1 else 0.
(* a table by its entries, from the first value of each index *)
Definition table {A} (none : A) (low : Z) (values : list A) (k : Z) : A := nth (Z.to_nat (k - low)) values none.

(* What positions and temperatures are: a number, or an expression in i and n; sums with 0 and products with 0 and 1
   are left out. *)
Inductive scalar := Known (q : Q) | Open (r : R).
Definition value (s : scalar) : R := match s with Known q => real q | Open r => r end.
Definition plus_s (a b : scalar) : scalar :=
  match a, b with
  | Known x, Known y => Known (Qred (x + y))
  | Known x, Open r => if zero x then b else Open (real x + r)
  | Open r, Known y => if zero y then a else Open (r + real y)
  | Open r, Open s => Open (r + s)
  end.
Definition minus_s (a b : scalar) : scalar :=
  match a, b with
  | Known x, Known y => Known (Qred (x - y))
  | Known x, Open r => if zero x then Open (- r) else Open (real x - r)
  | Open r, Known y => if zero y then a else Open (r - real y)
  | Open r, Open s => Open (r - s)
  end.
Definition times_s (a b : scalar) : scalar :=
  match a, b with
  | Known x, Known y => Known (Qred (x * y))
  | Known x, Open r => if zero x then a else if Qeq_bool x 1 then b else Open (real x * r)
  | Open r, Known y => if zero y then b else if Qeq_bool y 1 then a else Open (r * real y)
  | Open r, Open s => Open (r * s)
  end.
Definition over_s (a b : scalar) : scalar :=
  match a, b with
  | Known x, Known y => Known (Qred (x / y))
  | Known x, Open r => if zero x then a else Open (real x / r)
  | Open r, Known y => if Qeq_bool y 1 then a else Open (r / real y)
  | Open r, Open s => Open (r / s)
  end.
Definition power_s (a : scalar) (k : nat) : scalar :=
  match a with Known x => Known (Qred (x ^ Z.of_nat k)) | Open r => Open (r ^ k) end.
Definition adding_s (f : Z -> scalar) (a b : Z) : scalar :=
  fold_left (fun s k => plus_s s (f k)) (upto a b) (Known 0).

(* --- Coordinates: a name with its indices. *)
Definition spot : Type := string * list Z.
Definition shown (k : Z) : string :=
  match k with Zneg a => "m" ++ NilEmpty.string_of_int (Z.to_int (Zpos a)) | _ => NilEmpty.string_of_int (Z.to_int k) end.
Definition label (c : spot) : string := fst c ++ concat "_" (map shown (snd c)).
Fixpoint compare_all (k l : list Z) : comparison :=
  match k, l with
  | nil, nil => Eq
  | nil, _ => Lt
  | _, nil => Gt
  | a :: k, b :: l => match a ?= b with Eq => compare_all k l | c => c end
  end.
Definition compare_spot (c d : spot) : comparison :=
  match String.compare (fst c) (fst d) with Eq => compare_all (snd c) (snd d) | x => x end.
Definition same_spot (c d : spot) : bool := match compare_spot c d with Eq => true | _ => false end.

(* --- Forms: a number alone, coordinates, units; each with its coefficient. *)
Definition unit_ : Type := list (option spot * Q). (* relu of this *)
Inductive key := Alone | Reads (c : spot) | Relu (u : unit_).
Definition form : Type := list (key * Q).
Definition same_part (a b : option spot) : bool :=
  match a, b with None, None => true | Some c, Some d => same_spot c d | _, _ => false end.
Fixpoint same_unit (u v : unit_) : bool :=
  match u, v with
  | nil, nil => true
  | (a, x) :: u, (b, y) :: v => same_part a b && Qeq_bool x y && same_unit u v
  | _, _ => false
  end.
Definition same_key (a b : key) : bool :=
  match a, b with
  | Alone, Alone => true
  | Reads c, Reads d => same_spot c d
  | Relu u, Relu v => same_unit u v
  | _, _ => false
  end.
Fixpoint put (f : form) (e : key * Q) : form :=
  match f with
  | nil => [e]
  | (k, v) :: f => if same_key k (fst e) then (k, Qred (v + snd e)) :: f else (k, v) :: put f e
  end.
Definition number (q : Q) : form := if zero q then nil else [(Alone, Qred q)].
Definition at_ (name : string) (indices : list Z) : form := [(Reads (name, indices), 1%Q)].
Definition plus_f (f g : form) : form := fold_left put g f.
Definition times_f (q : Q) (f : form) : form := map (fun e => (fst e, Qred (q * snd e))) f.
Definition minus_f (f g : form) : form := plus_f f (times_f (-1) g).
Definition adding_f (f : Z -> form) (a b : Z) : form := fold_left (fun s k => plus_f s (f k)) (upto a b) nil.
Definition weight_of (e : key * Q) : R := real (snd e).
Definition nonzero (f : form) : form := filter (fun e => negb (zero (snd e))) f.
Definition first_of (a b : option spot) : bool :=
  match a, b with None, _ => true | _, None => false | Some c, Some d => match compare_spot c d with Gt => false | _ => true end
  end.
Fixpoint insert (e : option spot * Q) (u : unit_) : unit_ :=
  match u with nil => [e] | d :: v => if first_of (fst e) (fst d) then e :: u else d :: insert e v end.
Definition relu_f (f : form) : form :=
  [(Relu (fold_right insert nil (flat_map (fun e => match fst e with
     Alone => [(None, snd e)] | Reads c => [(Some c, snd e)] | Relu _ => nil end) (nonzero f))), 1%Q)].
Definition coefficient (f : form) (k : key) : Q :=
  match find (fun e => same_key (fst e) k) f with Some (_, v) => v | None => 0%Q end.
Definition in_unit (u : unit_) (c : option spot) : Q :=
  match find (fun e => same_part (fst e) c) u with Some (_, v) => v | None => 0%Q end.

Definition once {A} (same : A -> A -> bool) (l : list A) : list A :=
  rev (fold_left (fun s x => if existsb (same x) s then s else x :: s) l nil).
Definition spots (f : form) : list spot := flat_map (fun e => match fst e with Reads c => [c] | _ => nil end) f.
Definition or_else {A} (l other : list A) : list A := match l with nil => other | _ => l end.
Definition matrix_of (forms : list form) (columns : list spot) : matrix :=
  map (fun f => map (fun c => real (coefficient f (Reads c))) columns) forms.

(* --- Parts, in a layer with its number: what its norms make has the name that the relation gives it. *)
Record around := { space : list spot; layer : Z; made : list string }.
Definition seen (a : around) (c : spot) : string :=
  if existsb (String.eqb (fst c)) (made a) then "y" ++ shown (layer a) ++ "_" ++ label c else label c.
Definition writes : Type := list (spot * form).

Definition same_set (f g : form) : bool :=
  Nat.eqb (List.length f) (List.length g)
  && forallb (fun e => existsb (fun d => same_key (fst e) (fst d) && Qeq_bool (snd e) (snd d)) g) f.
Fixpoint put_row (rows : list (form * form)) (q k : form) : list (form * form) :=
  match rows with
  | nil => [(q, plus_f nil k)]
  | (p, l) :: rows => if same_set p q then (p, plus_f l k) :: rows else (p, l) :: put_row rows q k
  end.
(* products (query form)*(key form); the number before a single coordinate of the query goes to the key *)
Definition score_rows (products : list (form * form)) : list (form * form) :=
  fold_left (fun rows p => match nonzero (fst p), nonzero (snd p) with
    | nil, _ | _, nil => rows
    | [(c, v)], k => put_row rows [(c, 1%Q)] (times_f v k)
    | q, k => put_row rows q k
    end) products nil.
Inductive choice := Average | Leftmost | Rightmost | Softmax.
Definition chosen (c : choice) (soft : rows) : rows :=
  match c with Average => alike average | Leftmost => alike leftmost | Rightmost => alike rightmost | Softmax => soft end.
(* a softmax by the row, unless the temperature is a number at these sizes *)
Definition by_row (scale : R) (temperature : Z -> scalar) : rows :=
  match temperature 0 with
  | Known q => alike (softmax scale (real q))
  | Open _ => softmax_by (fun i => scale) (fun i => value (temperature i))
  end.
Definition a_head (a : around) (products : list (form * form)) (w : writes) (m : mask) (how : rows) : head :=
  let rows := score_rows products in
  let values := map (fun e => nonzero (snd e)) w in
  let columns := or_else (once same_spot (flat_map spots (map fst rows) ++ flat_map spots (map snd rows)
    ++ flat_map spots values)%list) (firstn 1 (space a)) in
  (map (seen a) columns, map (fun e => label (fst e)) w, matrix_of (or_else (map fst rows) [nil]) columns,
   matrix_of (or_else (map snd rows) [nil]) columns, matrix_of values columns, m, how).
Definition no_writes (h : head) : bool := let '(_, w, _, _, _, _, _) := h in match w with nil => true | _ => false end.
Definition attention_of (a : around) (heads : list head) : list part :=
  let one := map label (firstn 1 (space a)) in
  match heads with
  | nil => nil
  | (_, _, _, _, _, m, _) :: _ => [Attention (or_else (filter (fun h => negb (no_writes h)) heads)
      [(one, one, [[0%R]], [[0%R]], [[0%R]], m, alike average)])]
  end.
Definition network_of (a : around) (w : writes) : list part :=
  let w := or_else w (map (fun c => (c, nil)) (firstn 1 (space a))) in
  let made := once same_unit (flat_map (fun e => flat_map (fun d => match fst d with Relu u => [u] | _ => nil end)
    (snd e)) w) in
  let columns := or_else (once same_spot (flat_map (flat_map (fun e => match fst e with Some c => [c] | None => nil end))
    made)) (firstn 1 (space a)) in
  let units := or_else made [nil] in
  [Network (map (seen a) columns) (map (fun e => label (fst e)) w)
     (map (fun u => map (fun c => real (in_unit u (Some c))) columns) units) (map (fun u => real (in_unit u None)) units)
     (map (fun e => map (fun u => real (coefficient (snd e) (Relu u))) units) w)
     (map (fun e => real (coefficient (snd e) Alone)) w) relu_units].
Definition norm_of (a : around) (w : writes) (gain bias epsilon : Q) (refuses : bool) : list part :=
  let columns := or_else (once same_spot (flat_map (fun e => spots (snd e)) w)) (space a) in
  let names := map (fun e => seen a (fst e)) w in
  [Beside (map label columns) names (matrix_of (map snd w) columns);
   Norm names (map (fun _ => real gain) names) (map (fun _ => real bias) names) (real epsilon) refuses].

Definition numbered (layers : list (Z -> list part)) : list part :=
  flat_map (fun p => fst p (snd p)) (combine layers (map Z.of_nat (seq 1 (List.length layers)))).
Definition word_row (w : list (spot * Q)) : list (string * R) :=
  flat_map (fun e => if zero (snd e) then nil else [(label (fst e), real (snd e))]) w.
Definition not_added (added : list (option Z)) (t : Z) : bool :=
  forallb (fun one => match one with Some u => negb (t =? u) | None => true end) added.

(* --- Comparison with the stored instance. *)
Definition renamed_part (f : string -> string) (p : part) : part :=
  match p with
  | Attention heads => Attention (map (fun h : head =>
      let '(reads, writes, Q, K, V, m, how) := h in (map f reads, map f writes, Q, K, V, m, how)) heads)
  | Network reads writes W1 b1 W2 b2 a => Network (map f reads) (map f writes) W1 b1 W2 b2 a
  | Norm names gain bias e r => Norm (map f names) gain bias e r
  | Beside reads names P => Beside (map f reads) (map f names) P
  end.
Definition renamed (pairs : list (string * string)) (m : model) : model :=
  let f c := match find (fun p => String.eqb c (fst p)) pairs with Some p => snd p | None => c end in
  {| start := start m; longest := longest m;
     words := map (fun w => (fst w, map (fun e => (f (fst e), snd e)) (snd w))) (words m); typed := typed m;
     before := before m; after_last := after_last m; inputs := map f (inputs m);
     positions := map (fun p => (f (fst p), snd p)) (positions m); parts := map (renamed_part f) (parts m);
     readout := option_map (fun r => (match fst r with
       | all_zero names => all_zero (map f names) | positive w names => positive w (map f names) end, snd r)) (readout m)
  |}.

(* where the text of a position is not the family's but the same function *)
Lemma model_same : forall a b : model, start a = start b -> longest a = longest b -> words a = words b ->
  typed a = typed b -> before a = before b -> after_last a = after_last b -> inputs a = inputs b -> parts a = parts b ->
  readout a = readout b -> positions a = positions b -> a = b.
Proof. intros [] []. cbn. intros. subst. reflexivity. Qed.
Lemma ind_same : forall P Q : Prop, (P <-> Q) -> ind P = ind Q.
Proof.
  intros P Q h. unfold ind. destruct (excluded_middle_informative P), (excluded_middle_informative Q); tauto.
Qed.
Ltac same_number := cbv beta; first [reflexivity | solve [ring] | solve [unfold Rdiv; ring]
  | apply ind_same; split; intros; lra | unfold Rdiv, Rminus; (apply f_equal2 || apply f_equal); same_number].
Ltac same_positions :=
  cbv -[IZR ind Rplus Rmult Rminus Rdiv Rinv Ropp pow power];
  repeat match goal with
    | |- _ :: _ = _ :: _ => apply f_equal2
    | |- (_, _) = (_, _) => apply f_equal2
    | |- (fun _ => _) = _ => apply functional_extensionality; intro
    end; try reflexivity; same_number.
Ltac but_positions := apply model_same; [vm_compute; reflexivity .. | same_positions].
