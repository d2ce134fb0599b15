(* What the words of a statement mean. This file and Tree.v are all that has to be read besides a statement.

   Functions are total, as in Coq: 1/0 = 0 (a lemma of the library), and the root, logarithm or power of a wrong
   argument is some number. For each claim two further theorems (`defined`, `inhabited`) say that no such value is met
   and that the hypotheses can be met. *)
From Coq Require Import Reals ZArith ClassicalEpsilon.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* Integers stand where real numbers stand. *)
Coercion IZR : Z >-> R.

(* 1 where P holds, else 0 *)
Definition ind (P : Prop) : R := if excluded_middle_informative P then 1 else 0.
Definition relu (x : R) : R := Rmax 0 x.
(* x to an integer that is no numeral; 0 where it is negative *)
Definition power (x : R) (n : Z) : R := if (0 <=? n)%Z then x ^ Z.to_nat n else 0.
Definition erf (x : R) : R := 2 / sqrt PI * RInt (fun t => exp (- t ^ 2)) 0 x.
Definition tanh (x : R) : R := 1 - 2 / (exp (2 * x) + 1).
Definition sinh (x : R) : R := (exp x - exp (- x)) / 2.
Definition cosh (x : R) : R := (exp x + exp (- x)) / 2.

(* f a + f (a + 1) + ... with n terms, and the same as a product *)
Fixpoint sum_of (n : nat) (a : Z) (f : Z -> R) : R :=
  match n with O => 0 | S k => sum_of k a f + f (a + Z.of_nat k)%Z end.
Fixpoint prod_of (n : nat) (a : Z) (f : Z -> R) : R :=
  match n with O => 1 | S k => prod_of k a f * f (a + Z.of_nat k)%Z end.
(* f a + ... + f b; empty where b < a *)
Definition sum (a b : Z) (f : Z -> R) : R := sum_of (Z.to_nat (b - a + 1)) a f.
Definition prod (a b : Z) (f : Z -> R) : R := prod_of (Z.to_nat (b - a + 1)) a f.

(* the same where an integer is asked for: in bounds of sums, exponents, and arguments of functions of integers *)
Definition ind_Z (P : Prop) : Z := if excluded_middle_informative P then 1%Z else 0%Z.
Definition relu_Z (x : Z) : Z := Z.max 0 x.
Fixpoint sum_of_Z (n : nat) (a : Z) (f : Z -> Z) : Z :=
  match n with O => 0%Z | S k => (sum_of_Z k a f + f (a + Z.of_nat k))%Z end.
Definition sum_Z (a b : Z) (f : Z -> Z) : Z := sum_of_Z (Z.to_nat (b - a + 1)) a f.
Fixpoint prod_of_Z (n : nat) (a : Z) (f : Z -> Z) : Z :=
  match n with O => 1%Z | S k => (prod_of_Z k a f * f (a + Z.of_nat k))%Z end.
Definition prod_Z (a b : Z) (f : Z -> Z) : Z := prod_of_Z (Z.to_nat (b - a + 1)) a f.

Arguments ind _%R.
Arguments ind_Z _%R.
Arguments sum (a b)%Z f%R.
Arguments prod (a b)%Z f%R.
Arguments sum_Z (a b)%Z f%Z.
Arguments prod_Z (a b)%Z f%Z.
Arguments power x%R n%Z.

(* In statements, equality is that of real numbers. *)
Module Reading.
  Notation "x = y" := (@eq R x y) : type_scope.
  Notation "x <> y" := (~ @eq R x y) : type_scope.
End Reading.
