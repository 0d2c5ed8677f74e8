import { CardView } from "./cardView.tsx"
import { FleetBar } from "./fleetBar.tsx"
import { filterFleet, fleetSections } from "./fleetFilter.ts"
import { fleetHealth, healthRankOf } from "./fleetHealth.ts"
import { fleetDrawMillis } from "./useFleetHealth.ts"
import { Fragment } from "preact"
import { useSignal } from "../useSignal.ts"
import { useThrottled } from "../useThrottled.ts"
import { usePageState } from "../pageState.ts"
import { useIsReading } from "../source/useCaughtUp.ts"
import { useState } from "preact/hooks"
import { lostNodeNamesIn } from "./lostNodes.ts"
import { NodesView } from "./nodesView.tsx"
import type { FleetFilter } from "./fleetFilter.ts"

export const FleetView = () => {
  const { fleet, selected, history, isNow } = usePageState()
  const throttledFleet = useThrottled(fleet, fleetDrawMillis(fleet.get()))
  const selectedAddress = useSignal(selected)
  const health = fleetHealth(throttledFleet)
  const isReading = useIsReading()
  const [filter, setFilter] = useState<FleetFilter>({ group: undefined, search: "", order: "worst first" })
  if (health.size === 0) {
    return (
      <p class="quiet" data-testid="empty">
        {history.get().header === undefined
          ? "…"
          : isReading
            ? "Reading what has happened so far …"
            : isNow()
              ? "There is no workload yet. Create one: kubectl create deployment web --image=nginx --replicas=3"
              : "There was no workload at this moment."}
      </p>
    )
  }
  const lostNodeNames = lostNodeNamesIn(throttledFleet.nodes)
  const isByNode = filter.order === "by node"
  const shown = isByNode ? [] : filterFleet(health, filter)
  return (
    <>
      {(health.size > 1 || throttledFleet.nodes.size > 1) && (
        <FleetBar health={health} filter={filter} setFilter={setFilter} />
      )}
      {!isByNode && shown.length === 0 && (
        <p class="quiet" data-testid="none-match">
          None of the {health.size} workloads matches.{" "}
          <button type="button" onClick={() => setFilter({ ...filter, group: undefined, search: "" })}>
            Show all
          </button>
        </p>
      )}
      {isByNode ? (
        <NodesView fleet={throttledFleet} selected={selectedAddress} search={filter.search} />
      ) : (
        fleetSections(shown, filter.order).map(({ heading, cards }) => (
          <Fragment key={heading}>
            {heading !== undefined && <h2 class="section">{heading}</h2>}
            {/* A new order makes new elements: Chromium does not lay out a card that is moved into sight. */}
            <ul
              key={`${filter.order} ${heading ?? ""}`}
              class="fleet"
              aria-busy={isReading}
              aria-label={`Workloads${heading === undefined ? "" : ` of ${heading}`}`}
            >
              {cards.map((it) => (
                <CardView
                  key={`${it.workload.metadata.uid} ${healthRankOf(it)}`}
                  card={it}
                  lostNodeNames={lostNodeNames}
                  selected={selectedAddress}
                />
              ))}
            </ul>
          </Fragment>
        ))
      )}
    </>
  )
}
