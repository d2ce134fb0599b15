(* The intermediate value theorem for functions with a Lipschitz constant: the statement named.intermediate_value, which
   the kernel assumes, is a theorem here, since Coq's real numbers are complete. *)
From Coq Require Import Reals ZArith Lra.
From Coquelicot Require Import Coquelicot.
From Symcook Require Import Meaning.
Open Scope R_scope.

Theorem intermediate_value : forall (f : R -> R) (lo hi s m : R), lo <= hi ->
  (forall x y, lo <= x /\ x <= hi /\ lo <= y /\ y <= hi -> Rabs (f x - f y) <= s * Rabs (x - y)) ->
  (f lo <= m /\ m <= f hi) \/ (f hi <= m /\ m <= f lo) ->
  exists x, lo <= x /\ x <= hi /\ f x = m.
Proof.
  intros f lo hi s m h lip between.
  set (c := fun x => Rmax lo (Rmin hi x)).
  assert (cin : forall x, lo <= c x /\ c x <= hi).
  { intros x. unfold c. split. apply Rmax_l. apply Rmax_lub. assumption. apply Rmin_l. }
  assert (cid : forall x, lo <= x -> x <= hi -> c x = x).
  { intros x a b. unfold c. rewrite Rmin_right by assumption. apply Rmax_right. assumption. }
  assert (clip : forall x y, Rabs (c x - c y) <= Rabs (x - y)).
  { intros x y. unfold c, Rmax, Rmin, Rabs.
    repeat (destruct (Rle_dec _ _) || destruct (Rcase_abs _)); lra. }
  assert (cont : continuity (fun x => f (c x))).
  { intros x eps he. exists (eps / (Rabs s + 1)). 
    assert (hs : 0 < Rabs s + 1) by (pose proof (Rabs_pos s); lra).
    split. apply Rdiv_lt_0_compat; assumption.
    intros y [_ hy]. simpl in *. unfold R_dist in *.
    destruct (cin x), (cin y).
    apply Rle_lt_trans with (s * Rabs (c y - c x)). { apply lip. tauto. }
    apply Rle_lt_trans with ((Rabs s + 1) * Rabs (y - x)).
    - apply Rle_trans with ((Rabs s + 1) * Rabs (c y - c x)).
      apply Rmult_le_compat_r. apply Rabs_pos. pose proof (Rle_abs s). lra.
      apply Rmult_le_compat_l. lra. apply clip.
    - apply Rmult_lt_reg_r with (/ (Rabs s + 1)). apply Rinv_0_lt_compat; assumption.
      replace ((Rabs s + 1) * Rabs (y - x) * / (Rabs s + 1)) with (Rabs (y - x)) by (field; lra). exact hy. }
  destruct (IVT_gen (fun x => f (c x)) lo hi m cont) as [x [hx e]].
  - rewrite !cid by lra. unfold Rmin, Rmax. destruct (Rle_dec (f lo) (f hi)); destruct between as [[? ?]|[? ?]]; lra.
  - exists (c x). destruct (cin x). repeat split; assumption.
Qed.
