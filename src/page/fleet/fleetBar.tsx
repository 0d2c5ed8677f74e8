import { fleetOrders, groupCounts } from "./fleetFilter.ts"
import { useMemo } from "preact/hooks"
import type { FleetFilter } from "./fleetFilter.ts"
import type { FleetHealth } from "./fleetHealth.ts"

interface FleetBarProps {
  readonly health: FleetHealth
  readonly filter: FleetFilter
  readonly setFilter: (filter: FleetFilter) => void
}

export const FleetBar = ({ health, filter, setFilter }: FleetBarProps) => {
  const orders = useMemo(() => fleetOrders(health), [health])
  return (
    <div class="fleet-bar">
      <div class="counters" role="group" aria-label="Workloads by health">
        {health.size > 1 &&
          groupCounts(health).map(([group, count]) => (
            <button
              key={group}
              type="button"
              data-group={group}
              aria-pressed={filter.group === group}
              onClick={() => setFilter({ ...filter, group: filter.group === group ? undefined : group })}
            >
              <b>{count}</b> {group}
            </button>
          ))}
      </div>
      <input
        type="search"
        placeholder="search ( / )"
        aria-label="Search workloads"
        value={filter.search}
        onInput={({ currentTarget }) => setFilter({ ...filter, search: currentTarget.value })}
      />
      <select
        aria-label="Order of workloads"
        value={filter.order}
        onChange={({ currentTarget }) => {
          const order = orders.find((it) => it === currentTarget.value)
          if (order !== undefined) setFilter({ ...filter, order })
        }}
      >
        {orders.map((order) => (
          <option key={order}>{order}</option>
        ))}
      </select>
    </div>
  )
}
