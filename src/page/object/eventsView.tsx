import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { eventGroups } from "../history/eventGroups.ts"
import { useThrottledRedraw } from "../useThrottledRedraw.ts"
import { usePageState } from "../pageState.ts"

export const EventsView = ({ uid }: { readonly uid: string }) => {
  const { fleet, history, shownMillis } = usePageState()
  useThrottledRedraw()
  const groups = eventGroups(fleet.get(), history.get().ownedBy(uid))
  if (groups.length === 0) return null
  const nowMillis = shownMillis()
  return (
    <section class="events" aria-label="Events" data-testid="events">
      <h3>Events</h3>
      <table>
        <thead>
          <tr>
            {["age", "reason", "of", "last message", "times"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(({ type, reason, message, about, count, lastMillis }) => (
            <tr key={`${type} ${reason} ${about}`} data-type={type}>
              <td class="age">{Number.isFinite(lastMillis) ? shortAge(nowMillis - lastMillis) : ""}</td>
              <td class="reason">
                {type === "Warning" ? "! " : ""}
                {reason}
              </td>
              <td class="about">{about}</td>
              <td class="message">{message}</td>
              <td class="count">{count}×</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
