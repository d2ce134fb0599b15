(* The meaning of the tree of a statement: of the text whose sha256 its certificate names.

   Each file of this development shows that text, JSON without spaces, in a line between "Definition tree : json :=" and
   the dot; the notations below let Coq read JSON. A node is [op, data, [node, ...]]. A variable ["bound", [k, sort], []]
   is that of the k-th quantifier, sum or product around it, counted from the inside. What a file proves is that
   `holds tree`, or that it does not. *)
From Coq Require Import Reals ZArith List.
From Symcook Require Import Meaning.
Open Scope R_scope.

(* --- JSON --------------------------------------------------------------------------------------------------------- *)
(* A string, by its bytes. It and the lists of JSON have types of their own, which Coq reads faster than `list`. *)
Inductive text := Nothing | Byte (b : Byte.byte) (rest : text).
Inductive json := Null | Num (n : Z) | Str (s : text) | Arr (parts : jsons)
with jsons := Nil | Cons (first : json) (rest : jsons).

Fixpoint read_text (s : list Byte.byte) : text := match s with nil => Nothing | cons b s => Byte b (read_text s) end.
Fixpoint show_text (s : text) : list Byte.byte := match s with Nothing => nil | Byte b s => cons b (show_text s) end.
Declare Scope text_scope.
String Notation text read_text show_text : text_scope.
Declare Scope jsons_scope.
Notation "[ ]" := Nil : jsons_scope.
Notation "[ x ; .. ; y ]" := (Cons x .. (Cons y Nil) ..) : jsons_scope.
Local Open Scope text_scope.
Local Open Scope jsons_scope.

(* --- Sorts and values --------------------------------------------------------------------------------------------- *)
Inductive sort := Int | Real.
Definition number (s : sort) : Type := match s with Int => Z | Real => R end.
Fixpoint function (arguments : list sort) (result : sort) : Type :=
  match arguments with nil => number result | s :: rest => number s -> function rest result end.

Definition number_sort (j : json) : option sort :=
  match j with Str "Int" => Some Int | Str "Real" => Some Real | _ => None end.
Fixpoint number_sorts (l : jsons) : option (list sort) :=
  match l with
  | Nil => Some nil
  | Cons j rest =>
      match number_sort j, number_sorts rest with Some s, Some ss => Some (s :: ss) | _, _ => None end
  end.
(* "Int", "Real" or ["fun", [argument sorts], result]: arguments and result *)
Definition sort_of (j : json) : option (list sort * sort) :=
  match j with
  | Arr [Str "fun"; Arr arguments; result] =>
      match number_sorts arguments, number_sort result with Some ss, Some s => Some (ss, s) | _, _ => None end
  | _ => match number_sort j with Some s => Some (nil, s) | None => None end
  end.

(* What the quantifiers around have bound, the nearest first *)
Inductive value := Value (arguments : list sort) (result : sort) (f : function arguments result).

(* What has no meaning here (an unknown word, a wrong number of parts) is one of these values, of which nothing is
   known; so nothing is proved of a tree in which it matters, nor of its negation. *)
Record unknown := { some_Prop : Prop; some_Z : Z; some_R : R }.
Definition of_sort (u : unknown) (s : sort) : number s := match s with Int => some_Z u | Real => some_R u end.

(* --- Meaning ------------------------------------------------------------------------------------------------------ *)
Section Meaning.
Variable u : unknown.
Notation around := (list value).

Definition cast (s : sort) (x : number s) : R := match s return number s -> R with Int => IZR | Real => fun x => x end x.
Definition only_Z (s : sort) (x : number s) : Z :=
  match s return number s -> Z with Int => fun x => x | Real => fun _ => some_Z u end x.

(* The variable of the k-th binder around *)
Definition bound (e : around) (k : Z) : option value := if (0 <=? k)%Z then nth_error e (Z.to_nat k) else None.

(* A function applied to terms, whose values `int` and `real` give *)
Section Apply.
Variables (int : json -> Z) (real : json -> R) (s : sort).
Fixpoint apply (ss : list sort) (given : jsons) {struct given} : function ss s -> number s :=
  match ss, given with
  | nil, Nil => fun x => x
  | Int :: ss, Cons a given => fun f => apply ss given (f (int a))
  | Real :: ss, Cons a given => fun f => apply ss given (f (real a))
  | _, _ => fun _ => of_sort u s
  end.
End Apply.

(* The terms and formulas themselves: as a real number, as an integer, as a proposition *)
Fixpoint real (e : around) (t : json) {struct t} : R :=
  match t with
  | Arr [Str "num"; Arr [Num p; Num q]; Arr []] =>
      if (q =? 1)%Z then IZR p else if (0 <? q)%Z then IZR p / IZR q else some_R u
  | Arr [Str "bound"; Arr [Num k; _]; Arr []] =>
      match bound e k with Some (Value nil s x) => cast s x | _ => some_R u end
  | Arr [Str "app"; Null; Arr (Cons (Arr [Str "bound"; Arr [Num k; _]; Arr []]) given)] =>
      match bound e k with
      | Some (Value ss s f) => cast s (apply (fun t => int e t) (fun t => real e t) s ss given f)
      | None => some_R u
      end
  | Arr [Str "+"; Null; Arr [a; b]] => real e a + real e b
  | Arr [Str "-"; Null; Arr [a; b]] => real e a - real e b
  | Arr [Str "*"; Null; Arr [a; b]] => real e a * real e b
  | Arr [Str "/"; Null; Arr [a; b]] => real e a / real e b
  | Arr [Str "neg"; Null; Arr [a]] => - real e a
  | Arr [Str "^"; Num k; Arr [a]] => if (0 <=? k)%Z then real e a ^ Z.to_nat k else some_R u
  | Arr [Str "ind"; Null; Arr [F]] => ind (prop e F)
  | Arr [Str "sum"; Null; Arr [a; b; x]] => sum (int e a) (int e b) (fun j => real (Value nil Int j :: e) x)
  | Arr [Str "prod"; Null; Arr [a; b; x]] => prod (int e a) (int e b) (fun j => real (Value nil Int j :: e) x)
  | Arr [Str "fn"; Str name; Arr given] =>
      match name, given with
      | "relu", [a] => relu (real e a)
      | "abs", [a] => Rabs (real e a)
      | "min", [a; b] => Rmin (real e a) (real e b)
      | "max", [a; b] => Rmax (real e a) (real e b)
      | "exp", [a] => exp (real e a)
      | "log", [a] => ln (real e a)
      | "sqrt", [a] => sqrt (real e a)
      | "erf", [a] => erf (real e a)
      | "sin", [a] => sin (real e a)
      | "cos", [a] => cos (real e a)
      | "pow", [a; b] => power (real e a) (int e b)
      | "pi", [] => PI
      | _, _ => some_R u
      end
  | _ => some_R u
  end
with int (e : around) (t : json) {struct t} : Z :=
  match t with
  | Arr [Str "num"; Arr [Num p; Num 1]; Arr []] => p
  | Arr [Str "bound"; Arr [Num k; _]; Arr []] =>
      match bound e k with Some (Value nil s x) => only_Z s x | _ => some_Z u end
  | Arr [Str "app"; Null; Arr (Cons (Arr [Str "bound"; Arr [Num k; _]; Arr []]) given)] =>
      match bound e k with
      | Some (Value ss s f) => only_Z s (apply (fun t => int e t) (fun t => real e t) s ss given f)
      | None => some_Z u
      end
  | Arr [Str "+"; Null; Arr [a; b]] => int e a + int e b
  | Arr [Str "-"; Null; Arr [a; b]] => int e a - int e b
  | Arr [Str "*"; Null; Arr [a; b]] => int e a * int e b
  | Arr [Str "neg"; Null; Arr [a]] => - int e a
  | Arr [Str "^"; Num k; Arr [a]] => if (0 <=? k)%Z then int e a ^ k else some_Z u
  | Arr [Str "ind"; Null; Arr [F]] => ind_Z (prop e F)
  | Arr [Str "sum"; Null; Arr [a; b; x]] => sum_Z (int e a) (int e b) (fun j => int (Value nil Int j :: e) x)
  | Arr [Str "prod"; Null; Arr [a; b; x]] => prod_Z (int e a) (int e b) (fun j => int (Value nil Int j :: e) x)
  | Arr [Str "fn"; Str name; Arr given] =>
      match name, given with
      | "relu", [a] => relu_Z (int e a)
      | "abs", [a] => Z.abs (int e a)
      | "min", [a; b] => Z.min (int e a) (int e b)
      | "max", [a; b] => Z.max (int e a) (int e b)
      | _, _ => some_Z u
      end
  | _ => some_Z u
  end%Z
with prop (e : around) (t : json) {struct t} : Prop :=
  match t with
  | Arr [Str "true"; Null; Arr []] => True
  | Arr [Str "false"; Null; Arr []] => False
  | Arr [Str "~"; Null; Arr [F]] => ~ prop e F
  | Arr [Str "&"; Null; Arr [F; G]] => prop e F /\ prop e G
  | Arr [Str "|"; Null; Arr [F; G]] => prop e F \/ prop e G
  | Arr [Str "->"; Null; Arr [F; G]] => prop e F -> prop e G
  | Arr [Str "="; Null; Arr [a; b]] => real e a = real e b
  | Arr [Str "<="; Null; Arr [a; b]] => real e a <= real e b
  | Arr [Str "<"; Null; Arr [a; b]] => real e a < real e b
  | Arr [Str "all"; s; Arr [F]] =>
      match sort_of s with
      | Some (ss, s) => forall x : function ss s, prop (Value ss s x :: e) F
      | None => some_Prop u
      end
  | Arr [Str "ex"; s; Arr [F]] =>
      match sort_of s with
      | Some (ss, s) => exists x : function ss s, prop (Value ss s x :: e) F
      | None => some_Prop u
      end
  | _ => some_Prop u
  end.
End Meaning.

Definition holds (tree : json) : Prop := forall u : unknown, prop u nil tree.
(* what a refutation proves *)
Definition fails (tree : json) : Prop := forall u : unknown, ~ prop u nil tree.

(* --- JSON as Coq reads it in the other files ------------------------------------------------------------------------ *)
Module Text.
Definition read_string (s : list Byte.byte) : json := Str (read_text s).
Definition show_string (j : json) := match j with Str s => Some (show_text s) | _ => None end.
Definition read_number (n : Number.int) :=
  match n with Number.IntDecimal d => Some (Num (Z.of_int d)) | _ => None end.
Definition show_number (j : json) := match j with Num n => Some (Number.IntDecimal (Z.to_int n)) | _ => None end.
Declare Scope json_strings.
Declare Scope json_numbers.
Declare Scope json_lists.
String Notation json read_string show_string : json_strings.
Number Notation json read_number show_number : json_numbers.
Notation "[ ]" := (Arr Nil) : json_lists.
Notation "[ x , .. , y ]" := (Arr (Cons x .. (Cons y Nil) ..)) : json_lists.
Notation "'null'" := Null : json_lists.
End Text.
