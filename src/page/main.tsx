import { render } from "preact"
import { App } from "./app.tsx"
import { connect } from "./source/connection.ts"
import { embeddedRecordings } from "./source/embedded.ts"
import { hearDrops } from "./source/opening.ts"
import { hearKeys } from "./keyboard.ts"
import { hearLinks } from "./links.ts"
import { browserFrames } from "./useKept.ts"
import { drawBy, keep } from "./kept.ts"
import { makePlayer } from "./moment/player.ts"
import { open } from "./source/open.ts"
import { openWorld, WorldContext } from "./world.ts"
import { takeToken } from "./token.ts"

const begin = (): void => {
  const embedded = embeddedRecordings()
  const token = embedded.length === 0 ? takeToken() : undefined
  const address = location.hash
  const world = openWorld(token === undefined ? undefined : connect(token))
  const player = makePlayer(world)
  const help = keep(false)
  hearKeys(world, player, help)
  hearLinks(world)
  hearDrops(world)
  const [first] = embedded
  if (first !== undefined)
    void open(world, first.title, first.open()).then((isShown) => isShown && world.follow(address))
  const root = document.getElementById("page") ?? document.body
  render(
    <WorldContext.Provider value={world}>
      <App player={player} embedded={embedded} help={help} />
    </WorldContext.Provider>,
    root
  )
}

drawBy(browserFrames)
begin()
// Another token came by the address bar: the page begins anew with it.
window.addEventListener("hashchange", () => {
  if (location.hash.startsWith("#token=")) location.reload()
})
