import { CardView } from "../fleet/cardView.tsx"
import { clockText } from "../source/clusterTime.ts"
import { lostNodes } from "../fleet/lostNodes.ts"
import { fleetHealth } from "../fleet/fleetHealth.ts"
import { changedWorkloads } from "./changedWorkloads.ts"
import { useMemo } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import { useThrottled } from "../useThrottled.ts"
import type { FleetHealth } from "../fleet/fleetHealth.ts"

const redrawMillis = 250
/** How many workloads are compared at most; the others are counted. */
const shownMax = 8

/** Two moments side by side: a pinned one, and the one that the page shows. */
export const CompareView = () => {
  const { pinned, history, fleet, moment, selected, shownMillis, showMoment, redrawCount } = usePageState()
  const pinnedMoment = useSignal(pinned)
  const shownHistory = useSignal(history)
  const selectedAddress = useSignal(selected)
  const shownFleet = useThrottled(fleet, redrawMillis)
  const shownMoment = useSignal(moment)
  useSignal(redrawCount)
  const pinnedFleet = useMemo(
    () => (pinnedMoment === undefined ? undefined : shownHistory.fleetOf(pinnedMoment)),
    [shownHistory, pinnedMoment]
  )
  if (pinnedMoment === undefined || pinnedFleet === undefined) return null
  const isPinnedShown = (shownMoment ?? shownHistory.endNumber) === pinnedMoment
  const pinnedHealth = fleetHealth(pinnedFleet)
  const pinnedLost = lostNodes(pinnedFleet.nodes)
  const shownHealth = fleetHealth(shownFleet)
  const track = selectedAddress === undefined ? undefined : shownHistory.series.trackOf(selectedAddress)
  const uids = track === undefined ? changedWorkloads(pinnedHealth, shownHealth) : [track.uid]
  const pinnedMillis = shownHistory.millisAt(pinnedMoment)
  const side = (title: string, millis: number, health: FleetHealth, lost: ReadonlySet<string>) => (
    <div class="side">
      <h3>
        {title} <time>{clockText(millis)}</time>
      </h3>
      <ul class="fleet">
        {uids.slice(0, shownMax).map((uid) => {
          const card = health.get(uid)
          return card === undefined ? (
            <li key={uid} class="workload quiet">
              {(pinnedHealth.get(uid) ?? shownHealth.get(uid))?.workload.metadata.name} is not there
            </li>
          ) : (
            <CardView key={uid} card={card} lost={lost} selected={undefined} />
          )
        })}
      </ul>
    </div>
  )
  return (
    <section class="compare" aria-label="Two moments side by side" data-testid="compare">
      <header>
        <h2>Two moments</h2>
        <button
          type="button"
          disabled={isPinnedShown}
          onClick={() => {
            pinned.set(shownMoment ?? shownHistory.endNumber)
            showMoment(pinnedMoment)
          }}
        >
          Swap
        </button>
        <button
          type="button"
          class="close"
          aria-label="Unpin the moment (M)"
          onClick={() => pinned.set(undefined)}
        >
          ✕
        </button>
      </header>
      {isPinnedShown ? (
        <p class="quiet">This moment is pinned: go to another to see both side by side.</p>
      ) : (
        uids.length === 0 && <p class="quiet">No workload differs between these moments.</p>
      )}
      <div class="pair">
        {side("Pinned", pinnedMillis, pinnedHealth, pinnedLost)}
        {side("Shown", shownMillis(), shownHealth, lostNodes(shownFleet.nodes))}
      </div>
      {uids.length > shownMax && <p class="quiet">{uids.length - shownMax} more workloads differ.</p>}
    </section>
  )
}
