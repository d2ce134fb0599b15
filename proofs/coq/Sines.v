(* Sine and cosine: what they mean in a tree, and the five axioms of the kernel as theorems. *)
From Coq Require Import Reals ZArith List String Lia Lra.
From Symcook Require Import Meaning Tree.
Import ListNotations.
Open Scope R_scope.

(* The meaning of trees in which sin or cos occurs: the part of Tree.v with this name, and two more functions (a test
   compares the two). It is a copy so that Tree.v, and with it all that was accepted before, stays as it is. *)
Module WithSines.
Section Meaning.
Variable u : unknown.
Notation around := (list value).

Definition cast (s : sort) (x : number s) : R := match s return number s -> R with Int => IZR | Real => fun x => x end x.
Definition only_Z (s : sort) (x : number s) : Z :=
  match s return number s -> Z with Int => fun x => x | Real => fun _ => some_Z u end x.

(* A function applied to terms, whose values `int` and `real` give *)
Section Apply.
Variables (int : json -> Z) (real : json -> R) (s : sort).
Fixpoint apply (ss : list sort) (given : list json) {struct given} : function ss s -> number s :=
  match ss, given with
  | nil, nil => fun x => x
  | Int :: ss, a :: given => fun f => apply ss given (f (int a))
  | Real :: ss, a :: given => fun f => apply ss given (f (real a))
  | _, _ => fun _ => of_sort u s
  end.
End Apply.

(* The terms and formulas themselves: as a real number, as an integer, as a proposition *)
Fixpoint real (e : around) (t : json) {struct t} : R :=
  match t with
  | Arr [Str "num"; Arr [Num p; Num q]; Arr []] => if (q =? 1)%Z then IZR p else IZR p / IZR q
  | Arr [Str "bound"; Arr [Num k; _]; Arr []] =>
      match nth_error e (Z.to_nat k) with Some (Value nil s x) => cast s x | _ => some_R u end
  | Arr [Str "app"; Null; Arr (Arr [Str "bound"; Arr [Num k; _]; Arr []] :: given)] =>
      match nth_error e (Z.to_nat k) with
      | Some (Value ss s f) => cast s (apply (fun t => int e t) (fun t => real e t) s ss given f)
      | None => some_R u
      end
  | Arr [Str "+"; Null; Arr [a; b]] => real e a + real e b
  | Arr [Str "-"; Null; Arr [a; b]] => real e a - real e b
  | Arr [Str "*"; Null; Arr [a; b]] => real e a * real e b
  | Arr [Str "/"; Null; Arr [a; b]] => real e a / real e b
  | Arr [Str "neg"; Null; Arr [a]] => - real e a
  | Arr [Str "^"; Num k; Arr [a]] => real e a ^ Z.to_nat k
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
  end%string
with int (e : around) (t : json) {struct t} : Z :=
  match t with
  | Arr [Str "num"; Arr [Num p; Num 1]; Arr []] => p
  | Arr [Str "bound"; Arr [Num k; _]; Arr []] =>
      match nth_error e (Z.to_nat k) with Some (Value nil s x) => only_Z s x | _ => some_Z u end
  | Arr [Str "app"; Null; Arr (Arr [Str "bound"; Arr [Num k; _]; Arr []] :: given)] =>
      match nth_error e (Z.to_nat k) with
      | Some (Value ss s f) => only_Z s (apply (fun t => int e t) (fun t => real e t) s ss given f)
      | None => some_Z u
      end
  | Arr [Str "+"; Null; Arr [a; b]] => int e a + int e b
  | Arr [Str "-"; Null; Arr [a; b]] => int e a - int e b
  | Arr [Str "*"; Null; Arr [a; b]] => int e a * int e b
  | Arr [Str "neg"; Null; Arr [a]] => - int e a
  | Arr [Str "^"; Num k; Arr [a]] => int e a ^ k
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
  end%string%Z
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
  end%string.
End Meaning.

Definition holds (tree : json) : Prop := forall u : unknown, prop u nil tree.
(* what a refutation proves *)
Definition fails (tree : json) : Prop := forall u : unknown, ~ prop u nil tree.
End WithSines.

(* --- the axioms ------------------------------------------------------------------------------------------------- *)
Lemma ax_sin_add : forall x y, sin (x + y) = sin x * cos y + cos x * sin y.
Proof. exact sin_plus. Qed.
Lemma ax_cos_add : forall x y, cos (x + y) = cos x * cos y - sin x * sin y.
Proof. exact cos_plus. Qed.
Lemma ax_sin_cos : forall x, sin x ^ 2 + cos x ^ 2 = 1.
Proof. intros x. pose proof (sin2_cos2 x) as h. unfold Rsqr in h. simpl. lra. Qed.
Lemma ax_sin_pi : sin PI = 0.
Proof. exact sin_PI. Qed.
Lemma ax_sin_bounds : forall x, 0 <= x -> x - x ^ 3 / 6 <= sin x /\ sin x <= x.
Proof.
  intros x h. split.
  - destruct (Rle_dec x 4) as [near|far].
    + destruct (pre_sin_bound x 0 h near) as [low _].
      unfold sin_approx, sin_term in low. simpl in low. simpl. lra.
    + assert (4 < x) by lra. destruct (SIN_bound x) as [low _].
      assert (4 * 4 <= x * x) by (apply Rmult_le_compat; lra).
      assert (0 <= x * (x * x - 16)) by (apply Rmult_le_pos; lra).
      simpl. lra.
  - destruct h as [h|<-]; [|rewrite sin_0; lra]. left. now apply sin_lt_x.
Qed.
