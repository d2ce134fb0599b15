(* Enclosures by coq-interval: the kernel's axiom pi, and the tactics of the step `interval`. *)
From Coq Require Import Reals ZArith Lia Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From Symcook Require Import Meaning Erf.
Open Scope R_scope.

Lemma ax_pi : IZR 3141592653589793 / IZR 1000000000000000 < PI /\ PI < IZR 1570796326794897 / IZR 500000000000000.
Proof. split; interval with (i_prec 100). Qed.
Lemma relu_abs : forall x, relu x = (x + Rabs x) / 2.
Proof. intros. unfold relu, Rmax, Rabs. destruct (Rle_dec 0 x), (Rcase_abs x); lra. Qed.
Lemma min_abs : forall x y, Rmin x y = (x + y - Rabs (x - y)) / 2.
Proof. intros. unfold Rmin, Rabs. destruct (Rle_dec x y), (Rcase_abs (x - y)); lra. Qed.
Lemma max_abs : forall x y, Rmax x y = (x + y + Rabs (x - y)) / 2.
Proof. intros. unfold Rmax, Rabs. destruct (Rle_dec x y), (Rcase_abs (x - y)); lra. Qed.
Ltac enclose p := rewrite ?relu_abs, ?min_abs, ?max_abs; interval with (i_prec p).
Ltac enclose_line x p d := rewrite ?relu_abs, ?min_abs, ?max_abs; interval with (i_prec p, i_bisect x, i_depth d).
Ltac enclose_box x y p d :=
  rewrite ?relu_abs, ?min_abs, ?max_abs; interval with (i_prec p, i_bisect x, i_bisect y, i_depth d).

(* bounds of erf at a number, by enclosures of its integral *)
Ltac erf_number :=
  first
    [ rewrite erf_0; lra
    | unfold erf; integral with (i_prec 64, i_relwidth 26)
    | unfold erf; integral with (i_prec 200, i_relwidth 60, i_degree 30) ].
