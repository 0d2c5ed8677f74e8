import * as Effect from "effect/Effect"
import { claimChildren } from "../../kubernetes/apps/deploymentObservation.ts"
import {
  claimNames,
  ordinalOf,
  replicaName,
  startOrdinal
} from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import {
  followsRetentionPolicy,
  isOwnedByFormerPod,
  ownerReferencesByPolicy
} from "../../kubernetes/apps/statefulSets/claimRetention.ts"
import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { adoptAndRelease, isClaimCommand } from "../adoption.ts"
import { controllerTurnOrder } from "../../runtime/reconciler/controllerTurnOrder.ts"
import { isOwnStatefulSetReport, mayBeAdopted } from "../changeFilters.ts"
import { keyInNamespaceOf, wakeSelectingOwners } from "../controllerServices.ts"
import { observeRevisions } from "../revisionWrites.ts"
import { performStatefulSetCommand } from "./performStatefulSetCommand.ts"
import type { AnyStateMachine } from "xstate"
import type { Change, ClusterView } from "../../store/objectStore.ts"
import type {
  ClaimOwners,
  OrdinalPod,
  StatefulSetObservation
} from "../../kubernetes/apps/statefulSets/statefulSetObservation.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused, Controller, Wake } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"

export const statefulSetController = (
  services: ControllerServices,
  machine: AnyStateMachine
): Controller<typeof resources.statefulSets> => ({
  resource: resources.statefulSets,
  turnOrder: controllerTurnOrder.statefulSet,
  machine: () => machine,
  watches: [
    resources.statefulSets,
    resources.pods,
    resources.controllerRevisions,
    resources.persistentVolumeClaims
  ],
  needsNoLook: isOwnStatefulSetReport,
  wakeActors: (change, wake) => wakeStatefulSets(services.view, change, wake),
  look: (statefulSet) => look(services, statefulSet),
  perform: (statefulSet, commands) => perform(services, statefulSet, commands)
})

const wakeStatefulSets = (view: ClusterView["Service"], change: Change, wake: Wake): void => {
  const { resource, object, old } = change
  if (resource === resources.statefulSets) return wake(objectKeyOf(object))
  if (resource === resources.persistentVolumeClaims) wakeByPodOfClaim(change, wake)
  const owner = controllerOf(object)
  const formerOwner = old === undefined ? undefined : controllerOf(old)
  if (formerOwner?.kind === "StatefulSet" && formerOwner.uid !== owner?.uid)
    wake(keyInNamespaceOf(object, formerOwner.name))
  if (owner?.kind === "StatefulSet") return wake(keyInNamespaceOf(object, owner.name))
  const isAdoptable = resource === resources.pods || resource === resources.controllerRevisions
  if (owner === undefined && isAdoptable && mayBeAdopted(change))
    wakeSelectingOwners(view.all(resources.statefulSets), object, wake)
}

/** The claim's Pod may be gone, but its name contains the StatefulSet's. */
const wakeByPodOfClaim = ({ object, old }: Change, wake: Wake): void => {
  for (const { kind, name } of [object, old].flatMap((it) => it?.metadata.ownerReferences ?? [])) {
    const [, setName] = /^(.+)-\d+$/.exec(name) ?? []
    if (kind === "Pod" && setName !== undefined) wake(keyInNamespaceOf(object, setName))
  }
}

const look = ({ view, nowMillis }: ControllerServices, statefulSet: StatefulSet): StatefulSetObservation => {
  const { uid, namespace = "" } = statefulSet.metadata
  const { selector } = statefulSet.spec
  const ownedPods = view.controlled(resources.pods, uid)
  const { controlled, adopt, release } = claimChildren({
    owner: statefulSet,
    selector,
    owned: ownedPods,
    orphans: view.orphans(resources.pods, namespace),
    isNamedAsMember: (pod) => ordinalOf(statefulSet, pod) !== undefined
  })
  const pods = controlled.flatMap((pod) => {
    const ordinal = ordinalOf(statefulSet, pod)
    return ordinal === undefined ? [] : [{ ordinal, pod }]
  })
  return {
    statefulSet,
    pods,
    claims: { adopt, release },
    ...observeRevisions(view, statefulSet),
    ...observeClaims(view, statefulSet, pods),
    nowMillis: nowMillis()
  }
}

const observeClaims = (
  view: ClusterView["Service"],
  statefulSet: StatefulSet,
  pods: ReadonlyArray<OrdinalPod>
): Pick<
  StatefulSetObservation,
  "ordinalsWithoutClaim" | "ordinalsWithStaleClaim" | "claimsAgainstRetentionPolicy"
> => {
  if ((statefulSet.spec.volumeClaimTemplates ?? []).length === 0)
    return { ordinalsWithoutClaim: [], ordinalsWithStaleClaim: [], claimsAgainstRetentionPolicy: [] }
  const claimsOf = (ordinal: number): ReadonlyArray<KubeObject | undefined> =>
    claimNames(statefulSet, ordinal).map((name) =>
      view.get(resources.persistentVolumeClaims, keyInNamespaceOf(statefulSet, name))
    )
  const takenOrdinals = new Set(pods.map(({ ordinal }) => ordinal))
  const start = startOrdinal(statefulSet)
  const freeOrdinals = Array.from({ length: statefulSet.spec.replicas }, (_, index) => start + index).filter(
    (ordinal) => !takenOrdinals.has(ordinal)
  )
  return {
    ordinalsWithoutClaim: pods
      .filter(({ ordinal, pod }) => pod.status.phase === "Pending" && claimsOf(ordinal).includes(undefined))
      .map(({ ordinal }) => ordinal),
    ordinalsWithStaleClaim: freeOrdinals.filter((ordinal) =>
      claimsOf(ordinal).some(
        (claim) => claim !== undefined && isOwnedByFormerPod(claim, replicaName(statefulSet, ordinal))
      )
    ),
    claimsAgainstRetentionPolicy: pods.flatMap(({ ordinal, pod }) =>
      claimsOf(ordinal).flatMap((claim): ReadonlyArray<ClaimOwners> => {
        if (claim === undefined || isTerminating(claim)) return []
        if (followsRetentionPolicy(statefulSet, pod, ordinal, claim)) return []
        return [{ claim, ownerReferences: ownerReferencesByPolicy(statefulSet, pod, ordinal, claim) }]
      })
    )
  }
}

const perform = Effect.fnUntraced(function* (
  services: ControllerServices,
  statefulSet: StatefulSet,
  commands: ReadonlyArray<Command>
): Effect.fn.Return<void, CommandRefused> {
  const claims = commands.filter(isClaimCommand)
  if (claims.length > 0)
    yield* adoptAndRelease({ services, ownerResource: resources.statefulSets, owner: statefulSet, claims })
  for (const command of commands)
    if (!isClaimCommand(command)) yield* performStatefulSetCommand(services, statefulSet, command)
})
