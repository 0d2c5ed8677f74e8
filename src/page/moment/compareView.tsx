import { CardView } from "../fleet/cardView.tsx"
import { timeText } from "../timeline/timelineText.ts"
import { comparedSide, swapSides } from "./comparison.ts"
import { lostNodeNamesIn } from "../fleet/lostNodes.ts"
import { fleetHealth } from "../fleet/fleetHealth.ts"
import { changedWorkloads, healthByName } from "./changedWorkloads.ts"
import { nameKey } from "../pageAddress.ts"
import { useMemo } from "preact/hooks"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import { useThrottled } from "../useThrottled.ts"
import type { ComparedSide } from "./comparison.ts"
import type { PageState } from "../pageState.ts"

const redrawMillis = 250
const workloadsShownMax = 8

export const CompareView = () => {
  const state = usePageState()
  const { history, fleet, moment, selected, shownMillis, redrawCount } = state
  const comparison = useSignal(state.comparison)
  const shownHistory = useSignal(history)
  const selectedAddress = useSignal(selected)
  const shownFleet = useThrottled(fleet, redrawMillis)
  const shownMoment = useSignal(moment)
  useSignal(redrawCount)
  const millis = shownMillis()
  // A pinned moment never changes.
  const compared = useMemo(
    () => (comparison === undefined ? undefined : comparedSide(comparison, shownHistory, millis)),
    [shownHistory, comparison, comparison?.type === "recording" ? millis : undefined]
  )
  if (comparison === undefined || compared === undefined) return null
  const isPinnedShown =
    comparison.type === "moment" && (shownMoment ?? shownHistory.endNumber) === comparison.moment
  const comparedHealth = healthByName(fleetHealth(compared.fleet))
  const shownHealth = healthByName(fleetHealth(shownFleet))
  const track = selectedAddress === undefined ? undefined : shownHistory.series.trackOf(selectedAddress)
  const names = track === undefined ? changedWorkloads(comparedHealth, shownHealth) : [nameKey(track)]
  const sideOf = (
    { title, millis: sideMillis, fleet: sideFleet }: ComparedSide,
    health: typeof shownHealth
  ) => (
    <div class="side">
      <h3>
        {title} <time>{timeText(sideMillis)}</time>
      </h3>
      <ul class="fleet">
        {names.slice(0, workloadsShownMax).map((name) => {
          const card = health.get(name)
          return card === undefined ? (
            <li key={name} class="workload quiet">
              {(comparedHealth.get(name) ?? shownHealth.get(name))?.workload.metadata.name} is not there
            </li>
          ) : (
            <CardView
              key={name}
              card={card}
              lostNodeNames={lostNodeNamesIn(sideFleet.nodes)}
              selected={undefined}
            />
          )
        })}
      </ul>
    </div>
  )
  const comparesMoments = comparison.type === "moment"
  return (
    <section
      class="compare"
      aria-label={comparesMoments ? "Two moments side by side" : "Two recordings side by side"}
      data-testid="compare"
    >
      <header>
        <h2>{comparesMoments ? "Two moments" : "Two recordings"}</h2>
        <button type="button" disabled={isPinnedShown} onClick={() => swapSides(state)}>
          Swap
        </button>
        <button
          type="button"
          class="close"
          aria-label="End the comparison (M)"
          onClick={() => state.comparison.set(undefined)}
        >
          ✕
        </button>
      </header>
      {isPinnedShown ? (
        <p class="quiet">This moment is pinned: go to another to see both side by side.</p>
      ) : (
        names.length === 0 && (
          <p class="quiet">
            No workload differs {comparesMoments ? "between these moments" : "at this time"}.
          </p>
        )
      )}
      <div class="pair">
        {sideOf(compared, comparedHealth)}
        {sideOf({ title: shownTitle(state), millis, fleet: shownFleet }, shownHealth)}
      </div>
      {names.length > workloadsShownMax && (
        <p class="quiet">{names.length - workloadsShownMax} more workloads differ.</p>
      )}
    </section>
  )
}

const shownTitle = ({ comparison, source }: PageState): string => {
  const shown = source.get()
  return comparison.get()?.type === "recording" && shown?.type === "recording" ? shown.title : "Shown"
}
