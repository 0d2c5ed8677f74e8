import { memo } from "preact/compat"
import { markOf, markWords } from "./marks.ts"
import { ownerOf } from "../history/fleet.ts"
import { byNamespaceAndName, placeHash } from "../place.ts"
import { newestRevisionFirst, revisionOf } from "../../kubernetes/apps/revisions/revisions.ts"
import { rolloutStatus } from "../../kubernetes/apps/rolloutStatus.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import { useKept } from "../useKept.ts"
import { useSeldom } from "../useSeldom.ts"
import { useWorld } from "../world.ts"
import type { Deployment, Pod, ReplicaSet } from "../../kubernetes/meta/objects.ts"
import type { Fleet } from "../history/fleet.ts"
import type { Place } from "../place.ts"

/** So many marks are not drawn anew at every frame: what is pressed meanwhile is to answer. */
const [manyPods, drawMillis] = [500, 250]

/** Every Deployment with its revisions, and every Pod as a mark that changes where it stands. */
export const FleetView = () => {
  const { fleet, place, history, isNow } = useWorld()
  const seen = useSeldom(fleet, fleet.get().pods.size > manyPods ? drawMillis : 0)
  const looked = useKept(place)
  const deployments = [...seen.deployments.values()].sort(byName)
  const owners = ownedBy(seen)
  if (deployments.length === 0) {
    return (
      <p class="quiet" data-testid="empty">
        {history.get().header === undefined
          ? "…"
          : isNow()
            ? "No Deployment is there. Make one: kubectl create deployment web --image=nginx --replicas=3"
            : "At this moment no Deployment is there."}
      </p>
    )
  }
  return (
    <ul class="fleet" aria-label="Deployments">
      {deployments.map((deployment) => (
        <DeploymentRow
          key={deployment.metadata.uid}
          deployment={deployment}
          replicaSets={owners.get(deployment.metadata.uid) ?? []}
          fleet={seen}
          looked={looked}
        />
      ))}
    </ul>
  )
}

const byName = (a: Deployment, b: Deployment): number => byNamespaceAndName(a.metadata, b.metadata)

/** The ReplicaSets of each Deployment, the newest revision first. */
const ownedBy = ({ replicaSets }: Fleet): ReadonlyMap<string, ReadonlyArray<ReplicaSet>> =>
  Map.groupBy([...replicaSets.values()].sort(newestRevisionFirst), ownerOf)

interface RowProps {
  readonly deployment: Deployment
  readonly replicaSets: ReadonlyArray<ReplicaSet>
  readonly fleet: Fleet
  readonly looked: Place | undefined
}

const DeploymentRow = ({ deployment, replicaSets, fleet, looked }: RowProps) => {
  const { metadata, spec, status } = deployment
  const { name, namespace = "" } = metadata
  const hasPods = (it: ReplicaSet): boolean =>
    it.spec.replicas > 0 || (fleet.podsOf.get(it.metadata.uid)?.size ?? 0) > 0
  const [newest, ...earlier] = replicaSets
  const shown = newest === undefined ? [] : [newest, ...earlier.filter(hasPods)]
  const kept = earlier.filter((it) => !hasPods(it))
  const rollout = rolloutStatus(deployment)
  return (
    <li class="deployment" data-deployment={name} data-rollout={rollout.state}>
      <h2>
        <Link place={{ kind: "Deployment", namespace, name }} looked={looked} class="name">
          {displayName({ namespace, name })}
        </Link>
        <span class="badge" data-rollout={rollout.state}>
          {spec.paused === true ? "paused" : badges[rollout.state]}
        </span>
        <span class="figures">
          {status.availableReplicas ?? 0} of {spec.replicas} available
        </span>
      </h2>
      {shown.map((replicaSet) => (
        <RevisionRow
          key={replicaSet.metadata.uid}
          replicaSet={replicaSet}
          pods={fleet.podsOf.get(replicaSet.metadata.uid) ?? nobody}
          looked={lookedWithin(looked, replicaSet)}
        />
      ))}
      {kept.length > 0 && (
        <p class="kept">
          without Pods, to go back to:
          {kept.map((it) => (
            <KeptLink key={it.metadata.uid} replicaSet={it} looked={lookedWithin(looked, it)} />
          ))}
        </p>
      )}
    </li>
  )
}

const nobody: ReadonlyMap<string, Pod> = new Map()

const badges: Readonly<Record<string, string>> = {
  complete: "✓ complete",
  waiting: "… rolling out",
  failed: "! stuck"
}

/** Only what concerns the row, so that the other rows stay as they are. */
const lookedWithin = (looked: Place | undefined, { metadata }: ReplicaSet): Place | undefined =>
  looked !== undefined && looked.namespace === metadata.namespace && looked.name.startsWith(metadata.name)
    ? looked
    : undefined

interface RevisionProps {
  readonly replicaSet: ReplicaSet
  readonly pods: ReadonlyMap<string, Pod>
  readonly looked: Place | undefined
}

const revisionText = (replicaSet: ReplicaSet): string => `revision ${revisionOf(replicaSet) ?? "?"}`

const imagesOf = ({ spec }: ReplicaSet): string =>
  (spec.template.spec?.containers ?? []).map(({ image }) => image).join(", ")

const KeptLink = memo(({ replicaSet, looked }: Omit<RevisionProps, "pods">) => {
  const { name, namespace = "" } = replicaSet.metadata
  return (
    <Link place={{ kind: "ReplicaSet", namespace, name }} looked={looked} class="about">
      <b>{revisionText(replicaSet)}</b> <span class="image">{imagesOf(replicaSet)}</span>
    </Link>
  )
})

const RevisionRow = memo(({ replicaSet, pods, looked }: RevisionProps) => {
  const { metadata, spec } = replicaSet
  const { name, namespace = "" } = metadata
  return (
    <div class="revision" data-revision={String(revisionOf(replicaSet) ?? "")}>
      <Link place={{ kind: "ReplicaSet", namespace, name }} looked={looked} class="about">
        <b>{revisionText(replicaSet)}</b> <span class="image">{imagesOf(replicaSet)}</span>{" "}
        <span class="figures">{spec.replicas} asked for</span>
      </Link>
      <div class="pods" role="group" aria-label={`Pods of ${name}`}>
        {[...pods.values()].map((pod) => (
          <PodMark
            key={pod.metadata.uid}
            pod={pod}
            isLooked={looked?.kind === "Pod" && looked.name === pod.metadata.name}
          />
        ))}
      </div>
    </div>
  )
})

const PodMark = memo(({ pod, isLooked }: { readonly pod: Pod; readonly isLooked: boolean }) => {
  const { mark, why } = markOf(pod)
  const { name, namespace = "" } = pod.metadata
  const words = `Pod ${name} ${markWords[mark]}${why === undefined ? "" : `: ${why}`}`
  return (
    <a
      class="pod"
      data-nav
      data-pod={name}
      data-mark={mark}
      aria-current={isLooked ? "true" : undefined}
      aria-label={words}
      title={words}
      href={placeHash({ kind: "Pod", namespace, name })}
    />
  )
})

interface LinkProps {
  readonly place: Place
  readonly looked: Place | undefined
  readonly class: string
  readonly children: preact.ComponentChildren
}

const Link = ({ place, looked, class: named, children }: LinkProps) => (
  <a
    class={named}
    data-nav
    href={placeHash(place)}
    aria-current={looked !== undefined && placeHash(looked) === placeHash(place) ? "true" : undefined}
  >
    {children}
  </a>
)
