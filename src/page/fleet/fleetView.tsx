import { memo } from "preact/compat"
import { deadlockOf } from "./deadlock.ts"
import { podMarkOf, podMarkTexts } from "./podMarks.ts"
import { controllerUid } from "../history/fleet.ts"
import { byNamespaceAndName, addressHash } from "../pageAddress.ts"
import { newestRevisionFirst, revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { useSignal } from "../useSignal.ts"
import { useThrottled } from "../useThrottled.ts"
import { usePageState } from "../pageState.ts"
import type { Deployment, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Fleet } from "../history/fleet.ts"
import type { PageAddress } from "../pageAddress.ts"

/** The view of a cluster with many Pods is redrawn less often, so that the page stays responsive. */
const [manyPodsMin, drawMillis] = [500, 250]

/** The Deployments, each with its revisions and their Pods as marks. */
export const FleetView = () => {
  const { fleet, selected, history, isNow } = usePageState()
  const throttledFleet = useThrottled(fleet, fleet.get().pods.size > manyPodsMin ? drawMillis : 0)
  const selectedAddress = useSignal(selected)
  const deployments = [...throttledFleet.deployments.values()].sort(byName)
  const replicaSetsOf = groupByDeployment(throttledFleet)
  if (deployments.length === 0) {
    return (
      <p class="quiet" data-testid="empty">
        {history.get().header === undefined
          ? "…"
          : isNow()
            ? "There is no Deployment yet. Create one: kubectl create deployment web --image=nginx --replicas=3"
            : "There was no Deployment at this moment."}
      </p>
    )
  }
  return (
    <ul class="fleet" aria-label="Deployments">
      {deployments.map((deployment) => (
        <DeploymentRow
          key={deployment.metadata.uid}
          deployment={deployment}
          replicaSets={replicaSetsOf.get(deployment.metadata.uid) ?? []}
          fleet={throttledFleet}
          selected={selectedAddress}
        />
      ))}
    </ul>
  )
}

const byName = (a: Deployment, b: Deployment): number => byNamespaceAndName(a.metadata, b.metadata)

/** By the uid of the Deployment, newest revision first. */
const groupByDeployment = ({ replicaSets }: Fleet): ReadonlyMap<string, ReadonlyArray<ReplicaSet>> =>
  Map.groupBy([...replicaSets.values()].sort(newestRevisionFirst), controllerUid)

interface RowProps {
  readonly deployment: Deployment
  /** Newest revision first. */
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  /** All objects at the shown moment. */
  readonly fleet: Fleet
  readonly selected: PageAddress | undefined
}

const DeploymentRow = ({ deployment, replicaSets, fleet, selected }: RowProps) => {
  const { metadata, spec, status } = deployment
  const { name, namespace = "" } = metadata
  const hasPods = (it: ReplicaSet): boolean =>
    it.spec.replicas > 0 || (fleet.podsOf.get(it.metadata.uid)?.size ?? 0) > 0
  const [newest, ...earlier] = replicaSets
  // The newest one is shown even before its first Pod.
  const shownReplicaSets = newest === undefined ? [] : [newest, ...earlier.filter(hasPods)]
  const inactive = earlier.filter((it) => !hasPods(it))
  const rollout = rolloutStatus(deployment)
  const deadlock = rollout.state === "complete" ? undefined : deadlockOf(deployment, replicaSets, fleet)
  return (
    <li class="deployment" data-deployment={name} data-rollout={rollout.state}>
      <h2>
        <Link address={{ kind: "Deployment", namespace, name }} selected={selected} class="name">
          {displayName({ namespace, name })}
        </Link>
        <span class="badge" data-rollout={deadlock === undefined ? rollout.state : "failed"}>
          {deadlock !== undefined
            ? "! waits for itself"
            : spec.paused === true
              ? "paused"
              : badges[rollout.state]}
        </span>
        <span class="figures">
          {status.availableReplicas ?? 0} of {spec.replicas} available
        </span>
      </h2>
      {deadlock !== undefined && <p class="cause">{deadlock}.</p>}
      {shownReplicaSets.map((replicaSet) => (
        <RevisionRow
          key={replicaSet.metadata.uid}
          replicaSet={replicaSet}
          pods={fleet.podsOf.get(replicaSet.metadata.uid) ?? noPods}
          selected={selectedWithin(selected, replicaSet)}
        />
      ))}
      {inactive.length > 0 && (
        <p class="kept">
          without Pods, to go back to:
          {inactive.map((it) => (
            <InactiveRevisionLink
              key={it.metadata.uid}
              replicaSet={it}
              selected={selectedWithin(selected, it)}
            />
          ))}
        </p>
      )}
    </li>
  )
}

const noPods: ReadonlyMap<string, Pod> = new Map()

const badges: Readonly<Record<string, string>> = {
  complete: "✓ complete",
  waiting: "… rolling out",
  failed: "! stuck"
}

/**
 * Passes the selection only to the row it belongs to, so that the other rows are not redrawn. Names of Pods begin with
 * that of their ReplicaSet.
 */
const selectedWithin = (
  selected: PageAddress | undefined,
  { metadata }: ReplicaSet
): PageAddress | undefined =>
  selected !== undefined &&
  selected.namespace === metadata.namespace &&
  selected.name.startsWith(metadata.name)
    ? selected
    : undefined

interface RevisionProps {
  readonly replicaSet: ReplicaSet
  readonly pods: ReadonlyMap<string, Pod>
  readonly selected: PageAddress | undefined
}

const revisionText = (replicaSet: ReplicaSet): string => `revision ${revisionOf(replicaSet) ?? "?"}`

const imagesOf = ({ spec }: ReplicaSet): string =>
  (spec.template.spec?.containers ?? []).map(({ image }) => image).join(", ")

const InactiveRevisionLink = memo(({ replicaSet, selected }: Omit<RevisionProps, "pods">) => {
  const { name, namespace = "" } = replicaSet.metadata
  return (
    <Link address={{ kind: "ReplicaSet", namespace, name }} selected={selected} class="about">
      <b>{revisionText(replicaSet)}</b> <span class="image">{imagesOf(replicaSet)}</span>
    </Link>
  )
})

const RevisionRow = memo(({ replicaSet, pods, selected }: RevisionProps) => {
  const { metadata, spec } = replicaSet
  const { name, namespace = "" } = metadata
  return (
    <div class="revision" data-revision={String(revisionOf(replicaSet) ?? "")}>
      <Link address={{ kind: "ReplicaSet", namespace, name }} selected={selected} class="about">
        <b>{revisionText(replicaSet)}</b> <span class="image">{imagesOf(replicaSet)}</span>{" "}
        <span class="figures">{spec.replicas} asked for</span>
      </Link>
      <div class="pods" role="group" aria-label={`Pods of ${name}`}>
        {[...pods.values()].map((pod) => (
          <PodMarkLink
            key={pod.metadata.uid}
            pod={pod}
            isSelected={selected?.kind === "Pod" && selected.name === pod.metadata.name}
          />
        ))}
      </div>
    </div>
  )
})

const PodMarkLink = memo(({ pod, isSelected }: { readonly pod: Pod; readonly isSelected: boolean }) => {
  const { mark, why } = podMarkOf(pod)
  const { name, namespace = "" } = pod.metadata
  const label = `Pod ${name} ${podMarkTexts[mark]}${why === undefined ? "" : `: ${why}`}`
  return (
    <a
      class="pod"
      data-nav
      data-pod={name}
      data-mark={mark}
      aria-current={isSelected ? "true" : undefined}
      aria-label={label}
      title={label}
      href={addressHash({ kind: "Pod", namespace, name })}
    />
  )
})

interface LinkProps {
  readonly address: PageAddress
  readonly selected: PageAddress | undefined
  readonly class: string
  readonly children: preact.ComponentChildren
}

const Link = ({ address, selected, class: className, children }: LinkProps) => (
  <a
    class={className}
    data-nav
    href={addressHash(address)}
    aria-current={
      selected !== undefined && addressHash(selected) === addressHash(address) ? "true" : undefined
    }
  >
    {children}
  </a>
)
