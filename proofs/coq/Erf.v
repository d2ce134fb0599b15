(* erf, the integral: the kernel's axioms of erf as theorems. *)
From Coq Require Import Reals ZArith Lia Lra.
From Coquelicot Require Import Coquelicot.
From Symcook Require Import Meaning Taylor.
Open Scope R_scope.

Lemma gauss_ex : forall a b, ex_RInt (fun t => exp (- t ^ 2)) a b.
Proof.
  intros. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros z _.
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. exact I.
Qed.
Lemma erf_mono : forall x y, x <= y -> erf x <= erf y.
Proof.
  intros x y h. unfold erf. apply Rmult_le_compat_l.
  - unfold Rdiv. apply Rmult_le_pos. lra. left. apply Rinv_0_lt_compat, sqrt_lt_R0, PI_RGT_0.
  - assert (e : RInt (fun t => exp (- t ^ 2)) 0 x + RInt (fun t => exp (- t ^ 2)) x y = RInt (fun t => exp (- t ^ 2)) 0 y)
      by (apply (RInt_Chasles (fun t => exp (- t ^ 2)) 0 x y); apply gauss_ex).
    assert (0 <= RInt (fun t => exp (- t ^ 2)) x y).
    { apply RInt_ge_0. assumption. apply gauss_ex. intros. left. apply exp_pos. }
    lra.
Qed.
Lemma erf_between : forall u a b l h, a <= u <= b -> l <= erf a -> erf b <= h -> l <= erf u <= h.
Proof.
  intros u a b l h [p q] r s. split; [apply Rle_trans with (1 := r) | apply Rle_trans with (2 := s)]; apply erf_mono; assumption.
Qed.
Lemma erf_0 : erf 0 = 0.
Proof. unfold erf. rewrite RInt_point. unfold zero. simpl. ring. Qed.
