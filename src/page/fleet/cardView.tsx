import { memo } from "preact/compat"
import { podMarkOf, podMarkTexts } from "./podMarks.ts"
import { addressHash } from "../pageAddress.ts"
import { healthText } from "../../explain/health/healthText.ts"
import { displayName } from "../../kubernetes/meta/text/displayName.ts"
import type { KubeObject, Pod } from "../../kubernetes/meta/objects.ts"
import type { PodGroup } from "./podGroups.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { WorkloadCard } from "./workloadCards.ts"

interface CardProps {
  readonly card: WorkloadCard
  readonly lostNodeNames: ReadonlySet<string>
  readonly selected: PageAddress | undefined
}

export const CardView = ({ card, selected, lostNodeNames }: CardProps) => {
  // `lead`: the worse of health and progress.
  const { workload, lead, cause, figures, groups, inactiveGroups } = card
  const { name, namespace = "" } = workload.metadata
  const kind = workload.kind as PageAddress["kind"]
  return (
    <li class="workload" data-workload={name} data-kind={kind} data-lead={lead}>
      <h2>
        <Link address={{ kind, namespace, name }} selected={selected} class="name">
          <span class="kind">{kind}</span> {displayName({ namespace, name })}
        </Link>
        <span class="badge" data-lead={lead}>
          {healthText(card)}
        </span>
        <span class="figures">{figures}</span>
      </h2>
      {cause !== undefined && <p class="cause">{cause}.</p>}
      {groups.map((group) => (
        <GroupView
          key={group.uid}
          label={group.address?.name ?? name}
          {...group}
          lostNodeNames={lostNodeNames}
          selected={selectedWithin(selected, workload, group)}
        />
      ))}
      {inactiveGroups.length > 0 && (
        <p class="inactive-revisions">
          without Pods, to go back to:
          {inactiveGroups.map((group) => (
            <GroupTitle key={group.uid} {...group} selected={selectedWithin(selected, workload, group)} />
          ))}
        </p>
      )}
    </li>
  )
}

/**
 * Passes the selection only to the row with the selected object: other rows are not redrawn. A Pod's name begins with
 * its controller's.
 */
const selectedWithin = (
  selected: PageAddress | undefined,
  { metadata }: KubeObject,
  { address }: PodGroup
): PageAddress | undefined =>
  selected !== undefined &&
  selected.namespace === metadata.namespace &&
  selected.name.startsWith(address?.name ?? metadata.name)
    ? selected
    : undefined

type TitleProps = Pick<PodGroup, "address" | "title" | "image"> & {
  readonly selected: PageAddress | undefined
}

const GroupTitle = ({ address, title, image, selected }: TitleProps) => {
  const text = (
    <>
      <b>{title}</b> <span class="image">{image}</span>
    </>
  )
  return address === undefined ? (
    <span class="about">{text}</span>
  ) : (
    <Link address={address} selected={selected} class="about">
      {text}
    </Link>
  )
}

/** Each drawing makes the address of a row anew, with the same fields: it is not compared. */
const isSameRow = ({ address: _a, ...a }: GroupProps, { address: _b, ...b }: GroupProps): boolean =>
  Object.keys(a).every((key) => a[key as keyof typeof a] === b[key as keyof typeof b])

interface GroupProps extends PodGroup {
  readonly label: string
  readonly lostNodeNames: ReadonlySet<string>
  readonly selected: PageAddress | undefined
}

const GroupView = memo(
  ({ label, selected, lostNodeNames, ...group }: GroupProps) => (
    <div class="revision" data-revision={group.revision}>
      <GroupTitle {...group} selected={selected} /> <span class="figures">{group.figures}</span>
      <div class="pods" role="group" aria-label={`Pods of ${label}`}>
        {[...group.pods.values()].map((pod) => (
          <PodMarkLink
            key={pod.metadata.uid}
            pod={pod}
            isLost={lostNodeNames.has(pod.spec.nodeName ?? "")}
            isSelected={selected?.kind === "Pod" && selected.name === pod.metadata.name}
          />
        ))}
      </div>
    </div>
  ),
  isSameRow
)

interface PodMarkProps {
  readonly pod: Pod
  readonly isLost: boolean
  readonly isSelected: boolean
}

export const PodMarkLink = memo(({ pod, isLost, isSelected }: PodMarkProps) => {
  const { mark, why } = podMarkOf(pod, isLost)
  const { name, namespace = "" } = pod.metadata
  const label = `Pod ${name} ${podMarkTexts[mark]}${why === undefined ? "" : `: ${why}`}`
  return (
    <a
      class="pod"
      data-arrow-keys
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
    data-arrow-keys
    href={addressHash(address)}
    aria-current={
      selected !== undefined && addressHash(selected) === addressHash(address) ? "true" : undefined
    }
  >
    {children}
  </a>
)
