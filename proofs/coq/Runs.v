(* The step of Model.v that aligns two sides, without looking for more pairs once they are equal. Nothing here is to be
   read: it makes proofs that Coq checks. *)
From Coq Require Import Reals ZArith Lia Lra List String.
From Symcook Require Import Meaning Laws Model.
Open Scope R_scope.

Ltac pair_aligned :=
  match goal with |- ?l = ?r =>
    match l with
    | context [relu ?a] => match r with context [relu ?b] =>
        differ a b; replace (relu a) with (relu b) by (apply f_equal; same) end
    | context [erf ?a] => match r with context [erf ?b] =>
        differ a b; replace (erf a) with (erf b) by (apply f_equal; same) end
    | context [exp ?a] => match r with context [exp ?b] =>
        differ a b; replace (exp a) with (exp b) by (apply f_equal; same) end
    | context [sqrt ?a] => match r with context [sqrt ?b] =>
        differ a b; replace (sqrt a) with (sqrt b) by (apply f_equal; same) end
    | context [ind ?a] => match r with context [ind ?b] =>
        differ a b; replace (ind a) with (ind b) by (apply ind_ext; same_formula) end
    | context [sum ?a ?b ?f] => match r with context [sum ?c ?d ?g] =>
        differ (sum a b f) (sum c d g);
        replace (sum a b f) with (sum c d g) by (apply sum_both; [lia | lia | intro; same]) end
    | context [?a / ?b] => match r with context [?c / ?d] =>
        differ (a / b) (c / d); replace (a / b) with (c / d) by (apply f_equal2; same) end
    end
  end.
Ltac aligned :=
  tryif once pair_aligned then first [reflexivity | ring | aligned]
  else (field; repeat split; first [assumption | lra]).
Ltac same ::= first [reflexivity | ring | aligned].
