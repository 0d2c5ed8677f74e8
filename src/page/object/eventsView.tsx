import { shortAge } from "../../kubernetes/meta/text/shortAge.ts"
import { toldEvents } from "../history/toldEvents.ts"
import { useSeen } from "../seen.ts"
import { useWorld } from "../world.ts"

/** What was told of an object and of all it controls, up to the moment. */
export const EventsView = ({ uid }: { readonly uid: string }) => {
  const { fleet, history, millis } = useWorld()
  useSeen()
  const told = toldEvents(fleet.get(), history.get().ownedBy(uid))
  if (told.length === 0) return null
  const now = millis()
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
          {told.map(({ type, reason, message, about, count, lastMillis }) => (
            <tr key={`${type} ${reason} ${about}`} data-type={type}>
              <td class="age">{Number.isFinite(lastMillis) ? shortAge(now - lastMillis) : ""}</td>
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
