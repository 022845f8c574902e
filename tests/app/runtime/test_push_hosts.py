"""Check which URLs of clients the server accepts as endpoints, and which addresses it takes for public."""

from __future__ import annotations

import pytest

from noughts.app.runtime.push_hosts import BROWSERS, MAX_ENDPOINT_BYTES, checked_endpoint, is_public, push_host_list
from noughts.app.runtime.setting_values import SettingError
from noughts.errors import Rejection

HOSTS = push_host_list(BROWSERS)


@pytest.mark.parametrize(
    "url",
    [
        "https://fcm.googleapis.com/fcm/send/abc:def",
        "https://fcm.googleapis.com:443/x",
        "https://updates.push.services.mozilla.com/wpush/v2/x",
        "https://a.b.notify.windows.com/w/?token=BQY",
        "https://WEB.PUSH.APPLE.COM/x",
    ],
)
def test_endpoints_of_the_browsers_are_accepted(url: str) -> None:
    endpoint = checked_endpoint(url, HOSTS)
    assert endpoint.url.startswith("https://")
    assert not endpoint.private
    assert endpoint.origin == f"https://{endpoint.host}"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "x",
        "http://fcm.googleapis.com/x",
        "http://fcm.googleapis.com:443/x",
        "ftp://fcm.googleapis.com/x",
        "//fcm.googleapis.com/x",
        "https:///x",
        "https://fcm.googleapis.com:8443/x",
        "https://fcm.googleapis.com:0/x",
        "https://fcm.googleapis.com:99999/x",
        "https://evil.example/x",
        "https://evilfcm.googleapis.com.evil.example/x",
        "https://xpush.apple.com/x",
        "https://push.apple.com/x",
        "https://.push.apple.com/x",
        "https://a..push.apple.com/x",
        "https://evil.example%2f.push.apple.com/x",
        "https://user@fcm.googleapis.com/x",
        "https://user:secret@fcm.googleapis.com/x",
        "https://@fcm.googleapis.com/x",
        "https://evil.example\\@fcm.googleapis.com/x",
        "https://fcm.googleapis.com\t/x",
        "https://fcm.googleapis.com/x y",
        "https://fcm.googleapis.com/\r\nHost: x",
        "https://fcm.googleapıs.com/x",
        "https://127.0.0.1/x",
        "https://[::1]/x",
        "https://[fcm.googleapis.com/x",
        "https://fcm.googleapis.com./x",
        "https://fcm.googleapis.com/" + "x" * MAX_ENDPOINT_BYTES,
    ],
)
def test_other_urls_are_rejected(url: str) -> None:
    with pytest.raises(Rejection) as rejection:
        checked_endpoint(url, HOSTS)
    assert rejection.value.code == "bad_message"


def test_the_longest_endpoint_has_2048_bytes() -> None:
    start = "https://fcm.googleapis.com/"
    assert checked_endpoint(start + "x" * (MAX_ENDPOINT_BYTES - len(start)), HOSTS)


def test_only_an_entry_with_a_port_allows_private_addresses() -> None:
    listed = push_host_list("localhost:8443, 127.0.0.1:9443, [::1]:9443, 10.0.0.1")
    assert checked_endpoint("https://localhost:8443/x", listed).private
    assert checked_endpoint("https://127.0.0.1:9443/x", listed).private
    assert checked_endpoint("https://[::1]:9443/x", listed).host == "::1"
    for url in ("https://localhost/x", "https://localhost:8444/x", "https://10.0.0.1/x"):
        with pytest.raises(Rejection):
            checked_endpoint(url, listed)


@pytest.mark.parametrize(
    "text", ["*.push.apple.com", "fcm.googleapis.com", "localhost:8443", "[::1]:443", "ntfy.sh:443"]
)
def test_an_entry_is_printed_as_it_was_written(text: str) -> None:
    assert [str(entry) for entry in push_host_list(text)] == [text]


@pytest.mark.parametrize("text", ["*", "*.", "https://x", "a/b", "user@host", "*.host:8443", "höst", "host:x"])
def test_text_that_is_no_entry_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="must be hosts"):
        push_host_list(f"fcm.googleapis.com,{text}")


PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
    "255.255.255.255", "192.0.2.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
    "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:db8::1", "::10.0.0.1",
    "::ffff:0:10.0.0.1", "64:ff9b:1::10.0.0.1", "fec0::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "2a00:1450:4001:80b::200e", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


def test_text_that_is_no_address_is_not_public() -> None:
    assert not is_public("localhost")
    assert is_public("example.org", name=True)
