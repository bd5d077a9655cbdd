package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// cookieName returns the name of the cookie of a browser that has logged in. Cookies do not know ports: with one name, runs on one host
// would log each other's readers out.
func cookieName(r *http.Request) string {
	const name = "warp_session"
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return name
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return name
	}
	return name + "_" + port
}

// lock lets only those in who may look.
//
// Without a token the server listens on the loopback interface, and serves only requests that name this machine as the host: a page of
// another site whose name was made to lead here has the browser send that name. With a token, a request has it in a header, or a cookie
// that the login form gives for it; a browser sends that cookie to the host that set it, and with no request that another site makes.
type lock struct {
	addr    string            // to listen on
	token   [sha256.Size]byte // of the token, so that a comparison takes the same time for all lengths
	open    bool              // there is no token
	session string            // the cookie's value
	cross   *http.CrossOriginProtection
}

// newLock checks that an address may be served with a token, or without one.
func newLock(addr, token string) (*lock, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("invalid value %q (want an address such as 127.0.0.1:8090, or :0 for any free port of this machine)", addr)
	}
	if host == "" && token == "" {
		addr, host = net.JoinHostPort("127.0.0.1", port), "127.0.0.1"
	}
	if token == "" && !loopback(host) {
		return nil, fmt.Errorf("%s can be reached from other machines, which needs a token (--http-token-file, or WARP_HTTP_TOKEN)", addr)
	}
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // never fails: crypto/rand ends the process instead
	return &lock{
		addr:    addr,
		token:   sha256.Sum256([]byte(token)),
		open:    token == "",
		session: hex.EncodeToString(secret),
		cross:   http.NewCrossOriginProtection(),
	}, nil
}

// loopback reports whether a host is this machine by name or address.
func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// protect serves requests of those who may look. Anybody who reaches the server may ask whether it is there.
func (l *lock) protect(next http.Handler) http.Handler {
	return l.cross.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case l.open && !loopback(hostOf(r)):
			http.Error(w, "this server is for its own machine: name it by 127.0.0.1 or localhost", http.StatusMisdirectedRequest)
		case r.URL.Path == "/healthz":
			_, _ = w.Write([]byte("ok\n"))
		case l.open || l.loggedIn(r):
			welcome(w, r, next)
		case r.URL.Path == "/login" && r.Method == http.MethodPost:
			l.login(w, r)
		case r.Header.Get("Authorization") != "":
			l.bearer(w, r, next)
		case r.URL.Path == "/" && r.Method == http.MethodGet:
			l.form(w, http.StatusUnauthorized, "")
		default:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "want the token, as in Authorization: Bearer TOKEN", http.StatusUnauthorized)
		}
	}))
}

// hostOf returns the host that a request names, without its port.
func hostOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return r.Host
}

func (l *lock) loggedIn(r *http.Request) bool {
	c, err := r.Cookie(cookieName(r))
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(l.session)) == 1
}

func (l *lock) correct(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], l.token[:]) == 1
}

// bearer serves a request with the token in its header.
func (l *lock) bearer(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if !visitOf(r).MayTry() {
		http.Error(w, "too many wrong tokens; try again in a minute", http.StatusTooManyRequests)
		return
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok || !l.correct(token) {
		visitOf(r).Failed()
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "wrong token", http.StatusUnauthorized)
		return
	}
	welcome(w, r, next)
}

// welcome serves a request of somebody who may look, whose connection has a place from now on.
func welcome(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if !visitOf(r).Prove() {
		w.Header().Set("Connection", "close")
		http.Error(w, "too many connections", http.StatusServiceUnavailable)
		return
	}
	next.ServeHTTP(w, r)
}

// login gives a browser the cookie in exchange for the token.
func (l *lock) login(w http.ResponseWriter, r *http.Request) {
	if !visitOf(r).MayTry() {
		l.form(w, http.StatusTooManyRequests, "Too many wrong tokens. Try again in a minute.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if !l.correct(r.PostFormValue("token")) {
		visitOf(r).Failed()
		l.form(w, http.StatusUnauthorized, "That is not the token.")
		return
	}
	welcome(w, r, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{
			Name:     cookieName(r),
			Value:    l.session,
			Path:     "/",
			HttpOnly: true,
			SameSite: http.SameSiteStrictMode,
		})
		http.Redirect(w, r, "/", http.StatusSeeOther)
	}))
}

// form asks for the token.
func (l *lock) form(w http.ResponseWriter, status int, complaint string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	fmt.Fprintf(w, loginForm, complaint)
}

// loginForm has no style of its own: the policy allows only that of the page.
const loginForm = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>warp</title></head>
<body>
<h1>warp</h1>
<form method="post" action="/login">
<p><label>Token of this run (--http-token-file)
<input type="password" name="token" autocomplete="off" autofocus required></label> <button>Open</button></p>
<p role="alert">%s</p>
</form>
</body>
</html>
`
