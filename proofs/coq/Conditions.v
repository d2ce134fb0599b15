(* What a claim needs besides being true, computed from the tree of its statement: D, that no undefined value is met (as
   functions of Coq are total, 1/0 is some number); H, that what is supposed can be met; and for a refuted statement R,
   a counterexample at which everything is defined. Each file of a claim proves `holds (defined tree)` and
   `holds (inhabited tree ..)`, of a refuted one `holds (refutation tree)`. This file has to be read, like Tree.v. *)
From Coq Require Import ZArith List.
From Symcook Require Import Meaning Tree.
Local Open Scope text_scope.
Local Open Scope jsons_scope.

(* --- Trees -------------------------------------------------------------------------------------------------------- *)
Notation node op data kids := (Arr [Str op; data; Arr kids]).
Notation true_ := (node "true" Null []).
Notation no F := (node "~" Null [F]).
Notation number p := (node "num" (Arr [Num p; Num 1]) []).
Notation index := (node "bound" (Arr [Num 0; Str "Int"]) []).

(* The words of trees, so that functions below ask for each once *)
Inductive word := All | Ex | And | Or | Implies | Not | Le | Lt | Sum | Prod | Div | Fn | Bound | Numeral | Other.
Definition word_of (s : text) : word :=
  match s with
  | "all" => All
  | "ex" => Ex
  | "&" => And
  | "|" => Or
  | "->" => Implies
  | "~" => Not
  | "<=" => Le
  | "<" => Lt
  | "sum" => Sum
  | "prod" => Prod
  | "/" => Div
  | "fn" => Fn
  | "bound" => Bound
  | "num" => Numeral
  | _ => Other
  end.
Definition word_in (t : json) : word := match t with Arr (Cons (Str op) _) => word_of op | _ => Other end.

Fixpoint same_text (a b : text) : bool :=
  match a, b with
  | Nothing, Nothing => true
  | Byte x a, Byte y b => Byte.eqb x y && same_text a b
  | _, _ => false
  end.
Fixpoint same (a b : json) : bool :=
  match a, b with
  | Null, Null => true
  | Num m, Num n => Z.eqb m n
  | Str s, Str t => same_text s t
  | Arr l, Arr m => same_all l m
  | _, _ => false
  end
with same_all (l m : jsons) : bool :=
  match l, m with Nil, Nil => true | Cons a l, Cons b m => same a b && same_all l m | _, _ => false end.

(* A & B and A -> B, shorter where nothing is lost; "for all x" before a condition *)
Definition both (A B : json) : json :=
  if same A true_ then B else if (same B true_ || same A B)%bool then A else node "&" Null [A; B].
Definition given (A B : json) : json := if same B true_ then B else node "->" Null [A; B].
Definition every (sort A : json) : json := if same A true_ then A else node "all" sort [A].

(* a tree under one more binder; `depth` of its own are around the part *)
Fixpoint under (depth : Z) (t : json) : json :=
  match t with
  | node op data kids =>
      match word_of op, data, kids with
      | Bound, Arr [Num k; s], Nil => node op (Arr [Num (if (depth <=? k)%Z then k + 1 else k); s]) Nil
      | (All | Ex), s, Cons F Nil => node op s [under (depth + 1) F]
      | (Sum | Prod), Null, Cons a (Cons b (Cons x Nil)) =>
          node op Null [under depth a; under depth b; under (depth + 1) x]
      | _, _, _ => node op data (under_all depth kids)
      end
  | _ => t
  end
with under_all (depth : Z) (l : jsons) : jsons :=
  match l with Nil => Nil | Cons t l => Cons (under depth t) (under_all depth l) end.
(* the index of a sum or product is within its ends *)
Definition within (a b : json) : json :=
  node "&" Null [node "<=" Null [under 0 a; index]; node "<=" Null [index; under 0 b]].

(* --- D: every denominator that is met is not 0, every radicand and exponent is >= 0, what has a logarithm > 0 --------- *)
(* Met: after the premises and the parts of "and" before it, and the denials of the parts of "or" before it. *)
Definition numeral (t : json) : option Z :=
  match t with
  | node op (Arr [Num p; _]) Nil => match word_of op with Numeral => Some p | _ => None end
  | _ => None
  end.
Definition nonzero (t : json) : json :=
  match numeral t with
  | Some p => if (p =? 0)%Z then no (node "=" Null [t; number 0]) else true_
  | None => no (node "=" Null [t; number 0])
  end.
Definition nonnegative (t : json) : json :=
  match numeral t with
  | Some p => if (0 <=? p)%Z then true_ else node "<=" Null [number 0; t]
  | None => node "<=" Null [number 0; t]
  end.
Definition above_zero (t : json) : json :=
  match numeral t with
  | Some p => if (0 <? p)%Z then true_ else node "<" Null [number 0; t]
  | None => node "<" Null [number 0; t]
  end.

Fixpoint defined (t : json) : json :=
  match t with
  | node op data kids =>
      match word_of op, kids with
      | (All | Ex), Cons F Nil => every data (defined F)
      | (And | Implies), Cons F (Cons G Nil) => both (defined F) (given F (defined G))
      | Or, Cons F (Cons G Nil) => both (defined F) (given (no F) (defined G))
      | (Sum | Prod), Cons a (Cons b (Cons x Nil)) =>
          both (both (defined a) (defined b)) (every (Str "Int") (given (within a b) (defined x)))
      | Div, Cons a (Cons b Nil) => both (both (defined a) (defined b)) (nonzero b)
      | Fn, Cons a Nil =>
          match data with
          | Str "sqrt" => both (defined a) (nonnegative a)
          | Str "log" => both (defined a) (above_zero a)
          | _ => defined a
          end
      | Fn, Cons a (Cons b Nil) =>
          let inner := both (defined a) (defined b) in
          match data with Str "pow" => both inner (nonnegative b) | _ => inner end
      | _, _ => defined_all true_ kids
      end
  | _ => true_
  end
with defined_all (before : json) (l : jsons) : json :=
  match l with Nil => before | Cons t l => defined_all (both before (defined t)) l end.

(* --- R: somewhere the premises hold, what they lead to is false, and all of this is defined ------------------------- *)
Fixpoint refutation (t : json) : json :=
  match t with
  | node op s kids =>
      match word_of op, kids with
      | All, Cons F Nil => node "ex" s [refutation F]
      | Implies, Cons F (Cons G Nil) => both (both F (defined F)) (refutation G)
      | _, _ => both (defined t) (no t)
      end
  | _ => Null
  end.

(* --- H: what is supposed can be met ------------------------------------------------------------------------------- *)
Definition or_true (l : list json) : list json := match l with nil => true_ :: nil | _ => l end.
(* the leading quantifiers and premises of t, as "there are .. with ..", before each of what `last` gives for the rest *)
Fixpoint hypotheses (last : json -> list json) (t : json) : list json :=
  match t with
  | node op s kids =>
      match word_of op, kids with
      | All, Cons F Nil => map (fun A => node "ex" s [A]) (or_true (hypotheses last F))
      | Implies, Cons F (Cons G Nil) => map (both F) (or_true (hypotheses last G))
      | _, _ => last t
      end
  | _ => last t
  end.
(* the two parts of "and", "or", "->", a comparison *)
Definition two (wanted : word -> bool) (t : json) : option (json * json) :=
  match t with node op _ (Cons A (Cons B Nil)) => if wanted (word_of op) then Some (A, B) else None | _ => None end.
Definition implication (t : json) := two (fun w => match w with Implies => true | _ => false end) t.
Definition conjunction (t : json) := two (fun w => match w with And => true | _ => false end) t.
(* A <-> B, which is written as two implications *)
Definition sides (t : json) : option (json * json) :=
  match conjunction t with
  | Some (F, G) =>
      match implication F, implication G with
      | Some (A, B), Some (C, D) => if (same A D && same B C)%bool then Some (A, B) else None
      | _, _ => None
      end
  | None => None
  end.
(* the parts of nested "and", or "or", from left to right *)
Fixpoint parts_and (t : json) : list json :=
  match t with
  | node op _ (Cons F (Cons G Nil)) => match word_of op with And => parts_and F ++ parts_and G | _ => t :: nil end
  | _ => t :: nil
  end.
Fixpoint parts_or (t : json) : list json :=
  match t with
  | node op _ (Cons F (Cons G Nil)) => match word_of op with Or => parts_or F ++ parts_or G | _ => t :: nil end
  | _ => t :: nil
  end.
Definition denied (t : json) : option json :=
  match t with node op _ (Cons F Nil) => match word_of op with Not => Some F | _ => None end | _ => None end.
Definition denial (t : json) : json := match denied t with Some F => F | None => no t end.
Definition opposite (t : json) : json :=
  match t with
  | node op _ (Cons a (Cons b Nil)) =>
      match word_of op with Le => node "<" Null [b; a] | Lt => node "<=" Null [b; a] | _ => denial t end
  | _ => denial t
  end.
Definition chain (op : text) (l : list json) : json :=
  match l with a :: rest => fold_left (fun A B => node op Null [A; B]) rest a | nil => true_ end.
Definition joined (l : list json) (last : json) : json := fold_right both last l.
(* ~t with the negation one step further inside, where t is no comparison and no A <-> B *)
Definition pushed (t : json) : json :=
  match t with
  | node op s kids =>
      match word_of op, kids with
      | All, Cons F Nil => node "ex" s [denial F]
      | Ex, Cons F Nil => node "all" s [denial F]
      | Implies, Cons F (Cons G Nil) => node "&" Null [F; denial G]
      | Or, _ => chain "&" (map denial (parts_or t))
      | And, _ => match sides t with Some _ => denial t | None => chain "|" (map denial (parts_and t)) end
      | _, _ => denial t
      end
  | _ => denial t
  end.

(* What must be possible, so that no part of t holds because its premises never do: the premises of "->"; one side of
   "<->"; of F | ~A the A, and for the premises within a part of "|" that the other parts fail. Nothing is asked of
   parts of "|" that are all denied, nor behind "ex", where the proof has the choice. *)
Fixpoint cases (fuel : nat) (t : json) : list json :=
  match fuel with
  | O => Null :: nil (* without meaning, so that nothing can be proved *)
  | S fuel =>
      match word_in t with
      | All | Implies => hypotheses (cases fuel) t
      | And =>
          match sides t, conjunction t with
          | Some (A, B), _ => node "|" Null [A; B] :: nil
          | None, Some (F, G) => (cases fuel F ++ cases fuel G)%list
          | _, _ => Null :: nil
          end
      | Not =>
          match denied t with
          | Some F => let inner := pushed F in if same inner t then nil else cases fuel inner
          | None => Null :: nil
          end
      | Or =>
          let found := parts_or t in
          let premises := flat_map (fun F => match denied F with Some A => A :: nil | None => nil end) found in
          let others := filter (fun F => match denied F with Some _ => false | None => true end) found in
          let numbered := combine (seq 0 (length others)) others in
          let of one :=
            let failing := map (fun p => opposite (snd p)) (filter (fun p => negb (Nat.eqb (fst one) (fst p))) numbered) in
            map (joined (premises ++ failing)%list) (cases fuel (snd one)) in
          let out := flat_map of numbered in
          match out, premises, others with nil, _ :: _, _ :: _ => joined premises true_ :: nil | _, _, _ => out end
      | _ => nil
      end
  end.

(* no formula here is nested deeper *)
Definition DEPTH : nat := 10000.
(* what the leading quantifiers and premises lead to *)
Fixpoint conclusion (t : json) : json :=
  match t with
  | node op _ kids =>
      match word_of op, kids with
      | All, Cons F Nil => conclusion F
      | Implies, Cons _ (Cons G Nil) => conclusion G
      | _, _ => t
      end
  | _ => t
  end.
Definition met (t : json) : json := joined (hypotheses (cases DEPTH) t) true_.
Fixpoint each_met (t : json) : json :=
  match t with
  | node op _ (Cons F (Cons G Nil)) => match word_of op with And => both (each_met F) (each_met G) | _ => met t end
  | _ => met t
  end.
(* `condition`: a further demand on the leading variables, where a statement has one *)
Definition inhabited (t : json) (condition : option json) : json :=
  match condition with
  | None => each_met t
  | Some c =>
      let found := match cases DEPTH (conclusion t) with nil => nil | _ => hypotheses (cases DEPTH) t end in
      joined (hypotheses (fun _ => c :: nil) t ++ found)%list true_
  end.
