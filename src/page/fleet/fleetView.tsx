import { imagesOf } from "../../kubernetes/pods/containers/images.ts"
import { memo } from "preact/compat"
import { FleetBar } from "./fleetBar.tsx"
import { filterFleet, healthText } from "./fleetFilter.ts"
import { fleetHealth, healthRankOf } from "./fleetHealth.ts"
import { podMarkOf, podMarkTexts } from "./podMarks.ts"
import { addressHash } from "../pageAddress.ts"
import { revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { useSignal } from "../useSignal.ts"
import { useThrottled } from "../useThrottled.ts"
import { usePageState } from "../pageState.ts"
import { useState } from "preact/hooks"
import type { FleetFilter } from "./fleetFilter.ts"
import type { HealthyDeployment } from "./fleetHealth.ts"
import type { Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Fleet } from "../history/fleet.ts"
import type { PageAddress } from "../pageAddress.ts"

/** The view of a cluster with many Pods is redrawn less often, so that the page stays responsive. */
const [manyPodsMin, drawMillis] = [500, 250]

/** The Deployments, each with its revisions and their Pods as marks. */
export const FleetView = () => {
  const { fleet, selected, history, isNow } = usePageState()
  const throttledFleet = useThrottled(fleet, fleet.get().pods.size > manyPodsMin ? drawMillis : 0)
  const selectedAddress = useSignal(selected)
  const health = fleetHealth(throttledFleet)
  const [filter, setFilter] = useState<FleetFilter>({ group: undefined, search: "", order: "worst first" })
  if (health.size === 0) {
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
  const shown = filterFleet(health, filter)
  return (
    <>
      {health.size > 1 && <FleetBar health={health} filter={filter} setFilter={setFilter} />}
      {shown.length === 0 && (
        <p class="quiet" data-testid="none-match">
          None of the {health.size} Deployments matches.{" "}
          <button type="button" onClick={() => setFilter({ ...filter, group: undefined, search: "" })}>
            Show all
          </button>
        </p>
      )}
      {/* Chromium does not lay out a card again that was moved into sight (content-visibility): it is made anew. */}
      <ul key={filter.order} class="fleet" aria-label="Deployments">
        {shown.map((it) => (
          <DeploymentRow
            key={`${it.deployment.metadata.uid} ${healthRankOf(it)}`}
            health={it}
            fleet={throttledFleet}
            selected={selectedAddress}
          />
        ))}
      </ul>
    </>
  )
}

interface RowProps {
  readonly health: HealthyDeployment
  /** All objects at the shown moment. */
  readonly fleet: Fleet
  readonly selected: PageAddress | undefined
}

const DeploymentRow = ({ health, fleet, selected }: RowProps) => {
  const { deployment, replicaSets, lead, cause } = health
  const { metadata, spec, status } = deployment
  const { name, namespace = "" } = metadata
  const hasPods = (it: ReplicaSet): boolean =>
    it.spec.replicas > 0 || (fleet.podsOf.get(it.metadata.uid)?.size ?? 0) > 0
  const [newest, ...earlier] = replicaSets
  // The newest one is shown even before its first Pod.
  const shownReplicaSets = newest === undefined ? [] : [newest, ...earlier.filter(hasPods)]
  const inactive = earlier.filter((it) => !hasPods(it))
  return (
    <li class="deployment" data-deployment={name} data-lead={lead}>
      <h2>
        <Link address={{ kind: "Deployment", namespace, name }} selected={selected} class="name">
          {displayName({ namespace, name })}
        </Link>
        <span class="badge" data-lead={lead}>
          {healthText(health)}
        </span>
        <span class="figures">
          {status.availableReplicas ?? 0} of {spec.replicas} available
        </span>
      </h2>
      {cause !== undefined && <p class="cause">{cause}.</p>}
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
