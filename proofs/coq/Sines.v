(* The kernel's axioms about sine and cosine as theorems. *)
From Coq Require Import Reals Lra.
Open Scope R_scope.

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
