import * as Effect from "effect/Effect"
import { isTerminating } from "../../kubernetes/meta/deletion.ts"
import { objectKeyOf } from "../../kubernetes/meta/objects.ts"
import { BadRequest } from "../../store/storeErrors.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { ignoreGoneOrReplaced, keyInNamespaceOf } from "../controllerServices.ts"
import { performRequest } from "../../runtime/reconciler/controller.ts"
import { isRevisionCommand, performRevisionCommand } from "../revisionWrites.ts"
import type { ClaimDraft } from "../../kubernetes/apps/statefulSets/replicaIdentity.ts"
import type { Command } from "../../kubernetes/apps/commands.ts"
import type { CommandRefused } from "../../runtime/reconciler/controller.ts"
import type { ControllerServices } from "../controllerServices.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { StatefulSet, StatefulSetStatus } from "../../kubernetes/apps/statefulSets/statefulSetTypes.ts"
import type { StoreError } from "../../store/storeErrors.ts"

const component = "statefulset-controller"

/** Source: pkg/controller/statefulset/stateful_pod_control.go. */
export const performStatefulSetCommand = (
  services: ControllerServices,
  statefulSet: StatefulSet,
  command: Command
): Effect.Effect<unknown, CommandRefused> => {
  if (isRevisionCommand(command)) return performRevisionCommand(services, statefulSet, command)
  const { store } = services
  switch (command.type) {
    case "createReplica": {
      const { pod, claims } = command
      const { name = "" } = pod.metadata
      // The view must show the Pod first, or the next look would create it again; repeated updates and deletions are
      // harmless.
      const creation = Effect.tap(store.create(pod), (created) =>
        services.view.waitForVersion(created.metadata.resourceVersion)
      )
      return performRequest(
        command.type,
        withOutcomeEvent(services, statefulSet, { verb: "create", podName: name, claims }, creation)
      )
    }
    case "createClaims": {
      const { podName, claims } = command
      const creation = createClaims(services, statefulSet, podName, claims)
      return performRequest(
        command.type,
        Effect.mapError(creation, ({ error }) => error)
      )
    }
    case "repairReplica": {
      const { pod, claims } = command
      const { name } = pod.metadata
      return performRequest(
        command.type,
        withOutcomeEvent(services, statefulSet, { verb: "update", podName: name, claims }, store.update(pod))
      )
    }
    case "deleteReplica": {
      const { name, uid } = command.child
      const ref = { resource: resources.pods, key: keyInNamespaceOf(statefulSet, name) }
      const deletion = store.delete(ref, { preconditions: { uid } })
      return performRequest(
        command.type,
        withOutcomeEvent(services, statefulSet, { verb: "delete", podName: name }, deletion)
      )
    }
    case "reownClaim": {
      const { claim, ownerReferences } = command.owners
      const ref = { resource: resources.persistentVolumeClaims, key: objectKeyOf(claim) }
      const write = store.modify(
        ref,
        (object) => ({ ...object, metadata: { ...object.metadata, ownerReferences } }),
        { uid: claim.metadata.uid }
      )
      return performRequest(command.type, ignoreGoneOrReplaced(write))
    }
    case "reportStatefulSet":
      return performRequest(command.type, report(services, statefulSet, command.status))
    default:
      return Effect.die(new Error(`not a command of a StatefulSet: ${command.type}`))
  }
}

type Verb = "create" | "update" | "delete"

interface PodWrite {
  readonly verb: Verb
  readonly podName: string
  /** Claims that are created first where they are missing. */
  readonly claims?: ReadonlyArray<ClaimDraft>
}

const withOutcomeEvent = <A>(
  services: ControllerServices,
  statefulSet: StatefulSet,
  { verb, podName, claims = [] }: PodWrite,
  write: Effect.Effect<A, StoreError>
): Effect.Effect<unknown, StoreError> => {
  const { events } = services
  const subject = `${verb} Pod ${podName} in StatefulSet ${statefulSet.metadata.name}`
  const record = (outcome: "Successful" | "Failed", text: string) =>
    events.record({
      component,
      about: statefulSet,
      event: {
        eventType: outcome === "Failed" ? "Warning" : "Normal",
        reason: `${outcome}${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
        message: `${subject} ${text}`
      }
    })
  const written = Effect.matchEffect(write, {
    onSuccess: () => record("Successful", "successful"),
    onFailure: (error) =>
      verb === "delete" && error._tag === "NotFound"
        ? Effect.void
        : Effect.andThen(
            verb === "create" && error._tag === "AlreadyExists"
              ? Effect.void
              : record("Failed", `failed error: ${error.message}`),
            Effect.fail(error)
          )
  })
  return claims.length === 0
    ? written
    : Effect.matchEffect(createClaims(services, statefulSet, podName, claims), {
        onSuccess: () => written,
        onFailure: ({ error, why }) =>
          Effect.andThen(record("Failed", `failed error: ${why}`), Effect.fail(error))
      })
}

interface ClaimsRefused {
  readonly error: StoreError
  readonly why: string
}

/** A claim that is being deleted holds up its Pod. */
const createClaims = Effect.fnUntraced(function* (
  services: ControllerServices,
  statefulSet: StatefulSet,
  podName: string,
  claims: ReadonlyArray<ClaimDraft>
): Effect.fn.Return<void, ClaimsRefused> {
  const { store, view, events } = services
  for (const claim of claims) {
    const { name = "" } = claim.metadata
    const key = keyInNamespaceOf(statefulSet, name)
    const present: KubeObject | undefined = view.get(resources.persistentVolumeClaims, key)
    if (present !== undefined && !isTerminating(present)) continue
    const subject = `Claim ${name}`
    const owner = `Pod ${podName} in StatefulSet ${statefulSet.metadata.name}`
    const record = (eventType: "Normal" | "Warning", reason: string, message: string) =>
      events.record({ component, about: statefulSet, event: { eventType, reason, message } })
    if (present !== undefined) {
      const problem = `pvc ${name} is being deleted`
      yield* record("Warning", "FailedCreate", `create ${subject} for ${owner} failed error: ${problem}`)
      return yield* Effect.fail({ error: new BadRequest({ why: problem }), why: problem })
    }
    yield* Effect.matchEffect(store.create(claim), {
      onSuccess: (created) =>
        Effect.andThen(
          view.waitForVersion(created.metadata.resourceVersion),
          record("Normal", "SuccessfulCreate", `create ${subject} ${owner} success`)
        ),
      onFailure: (error) =>
        Effect.andThen(
          record("Warning", "FailedCreate", `create ${subject} for ${owner} failed error: ${error.message}`),
          Effect.fail({ error, why: `failed to create PVC ${name}: ${error.message}` })
        )
    })
  }
})

const report = (
  { store }: ControllerServices,
  statefulSet: StatefulSet,
  status: StatefulSetStatus
): Effect.Effect<unknown, StoreError> => {
  const reportOn = (object: KubeObject) => store.updateStatus({ ...object, status } as KubeObject)
  const ref = { resource: resources.statefulSets, key: objectKeyOf(statefulSet) }
  return Effect.catch(reportOn(statefulSet), () => Effect.flatMap(store.get(ref), reportOn))
}
